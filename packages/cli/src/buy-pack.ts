import {
  isTryOnError,
  packs,
  type PackSlug,
  type PurchaseWithSPTResponse,
  type TryOn,
  type TryOnErrorCode,
} from "@tryon/client";
import { UsageError } from "@tryon/cli-kit";

import { CommandError, describeError } from "./failure.ts";
import { sha256, type Purchase, type Session } from "./mcp/open-session.ts";

export const tokenVariable = "TRYON_PAYMENT_TOKEN";

// The keys of an object are texts for the compiler.
export const packSlugs = Object.keys(packs) as [PackSlug, ...PackSlug[]];

/**
 * State of a purchase: `succeeded`, `already_processed` or a status of the payment processor that is not final. `usd` is the
 * price in US dollars, 0 with a test key. `next` has the meaning of the status and the next step.
 */
type PurchaseReport = Partial<PurchaseWithSPTResponse> &
  Pick<PurchaseWithSPTResponse, "status" | "pack_slug"> & {
    readonly usd: number;
    readonly next: string;
  };

/** Errors which prove that a purchase with one attempt paid nothing. */
const refusals: ReadonlySet<TryOnErrorCode> = new Set([
  ...(["bad_request", "forbidden", "invalid_input", "payment_failed"] as const),
  ...(["rate_limited", "unauthorized", "validation_failed"] as const),
]);

const repeat = "Repeat it with the same token: a token pays once.";

/** Returns a payment token without white space around it, or nothing if there is none. */
export function readToken(value: string | undefined): string | undefined {
  const token = value?.trim() ?? "";
  if (token === "") return undefined;
  if (/^spt_\S{0,196}$/.test(token)) return token;
  const problem = "The payment token does not begin with spt_, or is over 200 characters long.";
  throw new UsageError(`${problem} Nothing was sent.`);
}

/** Options of a purchase: its name in the session, and the maximum time to wait, in milliseconds. */
interface BuyOptions {
  readonly name?: string;
  readonly timeout: number;
  readonly signal: AbortSignal;
}

export function createBuyer(tryon: TryOn, session: Session, isLive: boolean) {
  const digestOf = (token: string): string => sha256(JSON.stringify([session.id, token]));

  const isFinal = (name: string): boolean =>
    (session.purchase(name)?.state ?? "reserved") !== "reserved";

  return {
    isFinal,

    /** Returns true if another purchase of the session has this token. */
    isUsed: (token: string, name: string): boolean =>
      (session.purchaseOf(digestOf(token)) ?? name) !== name,

    /**
     * Buys a pack, or continues with the purchase of this name, which is paid once. Waits for a payment that is processed.
     *
     * @throws CommandError with what is known about the payment.
     */
    async buy(
      pack: PackSlug,
      token: string,
      { name = `${pack} ${digestOf(token)}`, timeout, signal }: BuyOptions,
    ): Promise<PurchaseReport> {
      const known = session.purchase(name);
      const digest = digestOf(token);
      const usd = isLive ? packs[pack].usd : 0;
      const report = (status: string, next: string, more: object): PurchaseReport => {
        const text = JSON.stringify({ ...more, status, pack_slug: pack, usd, next });
        // A service can repeat the token in any field. The fields are those of the type.
        return JSON.parse(token ? text.replaceAll(token, "spt_…") : text) as PurchaseReport;
      };
      if (known && known.state !== "reserved") {
        const { credits_remaining } = await tryon.account.get({ signal });
        const next = "This purchase was made before, and nothing was paid now.";
        return report(known.state, next, { credits_added: known.creditsAdded, credits_remaining });
      }
      if (known && known.token !== digest) {
        const problem = `The payment of ${pack} is open, and was begun with another token.`;
        const hint = "Nothing was sent. Use that token again.";
        throw new CommandError("payment_open", `${problem} ${hint}`);
      }
      if (this.isUsed(token, name)) {
        const problem = "The payment token has paid for another purchase. A token pays once.";
        throw new CommandError("token_used", `${problem} Nothing was sent.`);
      }
      if (!known) await session.reservePurchase(name, digest, usd);
      const settle = (end: Omit<Purchase, "token" | "usd">, price = usd): Promise<void> =>
        session.settlePurchase(name, { token: digest, usd: price, ...end });
      const order = { pack_slug: pack, shared_payment_granted_token: token };
      const start = tryon.clock.now();
      try {
        let last = await tryon.credits.purchase(order, { timeout, signal });
        if (last.status === "processing") {
          await settle({ state: "reserved", intent: last.payment_intent_id });
          const left = Math.max(1, timeout - (tryon.clock.now() - start));
          const outcome = await tryon.credits.waitForPurchase(last, { timeout: left, signal });
          last = outcome.purchase ?? last;
          if (outcome.status === "failed") last = { ...last, status: "failed" };
        }
        const { status, credits_added: creditsAdded, payment_intent_id: intent } = last;
        if (status === "canceled" || status === "failed") {
          await session.settlePurchase(name);
          const problem = `The payment ${status === "failed" ? "has failed" : "was canceled"}.`;
          throw new CommandError("payment_failed", `${problem} ${failedHint}`);
        }
        if (status === "succeeded") await settle({ state: status, creditsAdded });
        else await settle({ state: "reserved", intent });
        return report(status, nextOf(status, isLive), last);
      } catch (error) {
        if (!isTryOnError(error)) throw error;
        // After an attempt whose outcome is unknown, a refusal proves nothing.
        const isFirst = !known && error.attempts.length === 1;
        if (isTryOnError(error, "purchase_already_processed")) {
          await settle({ state: "already_processed" }, isFirst ? 0 : usd);
          const next =
            "The token has paid before. Nothing was paid now. Compare credits_remaining with the balance before that; if its credits are missing, check the payment.";
          return report("already_processed", next, { credits_remaining: error.balance });
        }
        const isDeclined = error.code === "payment_failed" && known?.intent !== undefined;
        const mayBePaid = !isDeclined && !(isFirst && refusals.has(error.code));
        if (!mayBePaid) await session.settlePurchase(name);
        const hint = mayBePaid ? repeat : error.code === "payment_failed" ? failedHint : undefined;
        throw new CommandError(error.code, describeError(error, hint));
      }
    },
  };
}

const failedHint = "Nothing was paid. The user can grant another token.";

function nextOf(status: string, isLive: boolean): string {
  if (!isLive) return "A test key: nothing was paid, and no real credits were added.";
  if (status === "succeeded") return "The credits were added.";
  if (status !== "requires_action")
    return `The payment is not final. Its credits follow. ${repeat}`;
  return `The user has to act, as next_action describes. ${repeat}`;
}
