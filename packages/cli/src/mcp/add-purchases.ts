import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type McpServer,
} from "@modelcontextprotocol/server";
import { packs } from "@tryon/client";
import * as z from "zod";

import { createBuyer, packSlugs, tokenVariable } from "../buy-pack.ts";
import { CommandError } from "../failure.ts";
import { variation, type McpContext } from "./create-submitter.ts";
import { openTokenPage, type TokenPage } from "./token-page.ts";
import { maxWait, number, repeatable, string, toolAdder, withinCall } from "./tool.ts";

/** Capabilities of a client that opens pages for its user. */
const opensPages = z.object({ elicitation: z.object({ url: z.object({}) }) });

export function addPurchases(server: McpServer, context: McpContext): void {
  const { tryon, session, isLive } = context;
  const buyer = createBuyer(tryon, session, isLive);
  /** By the name of the purchase. The tokens end with the process. */
  const pages = new Map<string, Promise<TokenPage>>();
  context.signal.addEventListener("abort", () => {
    for (const page of pages.values()) void page.then(({ close }) => close());
  });
  const prices = packSlugs.map((slug) => `${slug}: ${packs[slug].usd}`).join(", ");

  toolAdder(server, context)(
    "buy_credits",
    [
      "Buy credits",
      `Buys a pack of credits with a payment token of the user, within the maximum of the session. The same pack and variation are paid once, so repeat a call that failed, timed out or is not final. Prices in US dollars: ${prices}.`,
    ],
    { ...repeatable, destructiveHint: true },
    z.strictObject({
      pack_slug: z.enum(packSlugs),
      variation: variation.describe("A new value buys, and charges, another pack."),
    }),
    z.object({
      status: z.string(),
      pack_slug: z.string(),
      usd: z.number(),
      credits_added: number,
      credits_remaining: number,
      payment_intent_id: string,
      next_action: z.record(z.string(), z.unknown()).nullish().catch(null),
      next: z.string(),
    }),
    async ({ pack_slug: pack, variation: text = "" }, { signal, progress, context: call }) => {
      const name = `${pack} ${text}`;
      const { usd, credits } = packs[pack];
      const buy = async (token = "") => {
        try {
          return { value: await buyer.buy(pack, token, { name, timeout: maxWait, signal }) };
        } catch (error) {
          // The payment has failed, so that another token may pay.
          if (!session.purchase(name)) pages.delete(name);
          throw error;
        }
      };
      if (buyer.isFinal(name)) return buy();
      const given = context.paymentToken();
      if (given !== undefined && !buyer.isUsed(given, name)) return buy(given);
      const entered = (await pages.get(name))?.token;
      if (entered !== undefined) return buy(entered);
      const capabilities: unknown =
        Reflect.get(Object(call.mcpReq.envelope), CLIENT_CAPABILITIES_META_KEY) ??
        server.server.getClientCapabilities();
      if (!opensPages.safeParse(capabilities).success) {
        const which = given === undefined ? "" : " that has not paid before";
        const problem = `A payment token${which} is missing, and this client opens no page to ask for one.`;
        const hint = `Nothing was sent. The user can set ${tokenVariable} in the file of --env-file.`;
        throw new CommandError("payment_token_missing", `${problem} ${hint}`);
      }
      // The user gives no token for a pack that is not bought.
      if (isLive && !session.purchase(name)) session.checkUsd(usd);
      // Parallel calls have one page.
      const opening =
        pages.get(name) ?? openTokenPage(`Buy ${credits} credits for ${usd} US dollars`);
      pages.set(name, opening);
      const page = await opening;
      const response = inputResponse(call.mcpReq.inputResponses, "token");
      if (response.kind === "missing") {
        const message = `Enter a payment token that pays ${usd} US dollars for ${credits} credits.`;
        const token = inputRequired.elicitUrl({ message, url: page.url });
        return inputRequired({ inputRequests: { token } });
      }
      if (response.kind !== "elicit" || response.action !== "accept") {
        page.close();
        pages.delete(name);
        throw new CommandError("payment_declined", "The user gave no token. Nothing was sent.");
      }
      progress("Waiting for the payment token");
      const token = await withinCall(tryon, page.entered, signal);
      if (token === undefined) {
        const next = "The user has not entered a payment token. Nothing was sent. Call again.";
        return { value: { status: "token_required", pack_slug: pack, usd, next } };
      }
      return buy(token);
    },
  );
}
