import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { elementsOf, fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";
import { absent, checkGroup, mustHave, mustHaveStatus, oneOf } from "../expectations.ts";
import { balanceChange, readBalance, skipUnlessStatus } from "./balance.ts";
import type { Key } from "../../target/keys.ts";

/** Price in US dollars and credits of each pack. */
const packs: Readonly<Record<string, { readonly price: number; readonly credits: number }>> = {
  demo: { price: 2, credits: 100 },
  starter: { price: 25, credits: 1_200 },
  pro: { price: 99, credits: 5_600 },
  scale: { price: 499, credits: 32_000 },
  enterprise: { price: 999, credits: 72_000 },
};

/** Purchases that succeed, with live and with test keys. */
export const purchaseChecks = [
  ...checkGroup({ level: "paid", on: "any", credits: 0 }, [
    {
      id: "purchase.granted-at-once",
      title: "Sells credits to an agent with a token, and adds them before the response",
      rules: [
        "purchase.succeeded.granted-at-once",
        "purchase.agent.shared-token",
        "purchase.request-and-answer",
        "purchase-request.shared-payment-granted-token.grant",
      ],
      async run(session) {
        const { credits, response } = await buyWithNewKey(session);
        mustHave(response, { status: "succeeded" }, "a purchase with a good payment");
        must(credits > 0, "The balance has no new credits after the response.", response);
      },
    },
    {
      id: "purchase.response.credits-added",
      title: "Reports the credits that the purchase added in credits_added",
      rules: ["purchase-response.credits-added.this-call"],
      async run(session) {
        const { credits, response } = await buyCredits(session);
        mustHave(response, { credits_added: credits }, "a purchase, as in the account");
      },
    },
    {
      id: "purchase.response.credits-remaining",
      title: "Reports the balance after the purchase in credits_remaining",
      rules: ["purchase-response.credits-remaining.balance"],
      async run(session) {
        const { key, response } = await buyCredits(session);
        const balance = await readBalance(session, key);
        mustHave(response, { credits_remaining: balance }, "a purchase, as in the account");
      },
    },
    {
      id: "purchase.response.pack",
      title: "Repeats the pack, and has no next action after success",
      rules: [
        "purchase-response.pack-slug.bought",
        "purchase-response.next-action.requires-action",
        "purchase-response.payment-intent-id.present",
      ],
      async run(session) {
        const { fields, response } = await buyWithNewKey(session, { pack: "starter" });
        mustHave(response, { pack_slug: "starter" }, "a purchase of the pack starter");
        if (fields["status"] === "succeeded") {
          mustHave(response, { next_action: absent }, "a purchase that succeeded");
        }
      },
    },
    ...Object.entries(packs).map(([pack, { credits: expected }]) => ({
      id: `packs.${pack}`,
      title: `Adds ${expected} credits for the pack ${pack}`,
      rules: [`packs.${pack}.price-and-credits`, "purchase-request.pack-slug.values"],
      async run(session: Session) {
        const { credits, response } = await buyCredits(session, { pack });
        const message = `Expected ${expected} credits for the pack ${pack}, got ${credits}.`;
        must(credits === expected, message, response);
      },
    })),
  ]),
  ...checkGroup({ level: "safe", on: "test", credits: 0 }, [
    {
      id: "packs.prices",
      title: "Shows the price of each pack in the discovery document",
      rules: Object.keys(packs).map((pack) => `packs.${pack}.price-and-credits`),
      on: "any",
      async run(session) {
        const response = await session.request("GET", "/api/discovery", { key: null });
        const { capabilities } = fieldsOf(response.json);
        const { packs: listed } = fieldsOf(fieldsOf(capabilities)["agentic_commerce"]);
        const offers = elementsOf(listed).map(fieldsOf);
        if (offers.every((offer) => offer["price_usd"] === undefined)) {
          throw new SkipCheck("The discovery document has no prices; its form is open.");
        }
        for (const [pack, { price }] of Object.entries(packs)) {
          const offered = offers.find((offer) => offer["pack_slug"] === pack)?.["price_usd"];
          const message = `Expected the price ${price} of the pack ${pack}, got ${String(offered)}.`;
          must(offered === price, message, response);
        }
      },
    },
    {
      id: "purchase.test-key.succeeds",
      title:
        "Responds with succeeded to a purchase of every pack with a test key, whatever the token",
      rules: ["purchase.test-key.fake-success"],
      async run(session) {
        // A payment processor would decline the last one.
        const orders = [...Object.keys(packs).map((pack) => [pack, ""]), ["demo", "declined_"]];
        for (const [pack = "", prefix] of orders) {
          const token = paymentToken(session, prefix);
          const response = await buy(session, session.key, { token, pack });
          const what = `a purchase of the pack ${pack} with a test key`;
          mustHaveStatus(response, 200, what);
          mustHave(response, { status: "succeeded" }, what);
        }
      },
    },
    {
      id: "purchase.test-key.nothing-granted",
      title: "Adds nothing to the balance for a purchase with a test key",
      rules: ["purchase.test-key.nothing-granted"],
      async run(session) {
        const token = paymentToken(session);
        const { result, credits } = await balanceChange(session, session.key, () =>
          buy(session, session.key, { token }),
        );
        must(
          credits === 0,
          `A purchase with a test key changed the balance by ${credits}.`,
          result,
        );
      },
    },
    {
      id: "purchase.test-key.credits-added",
      title: "Reports the credits of the pack, or none, for a purchase with a test key",
      rules: ["purchase.test-key.reported-credits"],
      async run(session) {
        const token = paymentToken(session);
        const response = await buy(session, session.key, { token, pack: "pro" });
        skipUnlessStatus(response, 200);
        const expected = { credits_added: oneOf(0, packs["pro"]?.credits) };
        mustHave(response, expected, "a purchase of the pack pro with a test key");
      },
    },
  ]),
];

/** Makes a new payment token. The processor of a reference server reads the outcome from its prefix. */
export function paymentToken(session: Session, prefix = ""): string {
  return `spt_${prefix}${session.unique()}`;
}

/** Buys a pack of credits. */
export function buy(
  session: Session,
  key: Key,
  { token, pack = "demo" }: { readonly token: string; readonly pack?: string },
): Promise<HttpResponse> {
  return order(session, key, { pack_slug: pack, shared_payment_granted_token: token });
}

/** Sends the body of a purchase. */
export function order(session: Session, key: Key, body: Fields): Promise<HttpResponse> {
  return session.request("POST", "/api/v1/credits/purchase", { key, body });
}

/** A purchase with a new key. */
export interface Purchase {
  readonly key: Key;
  readonly token: string;
  readonly response: HttpResponse;
  readonly fields: Fields;
  /** Credits that it added to the balance. */
  readonly credits: number;
}

interface PurchaseOptions {
  /** Outcome for the payment processor. */
  readonly prefix?: string;
  readonly pack?: string;
}

/**
 * Buys a pack with a new key.
 *
 * @throws SkipCheck without the control API, since a payment is real elsewhere, and for any status but 200.
 */
export async function buyWithNewKey(
  session: Session,
  { prefix = "", pack = "demo" }: PurchaseOptions = {},
): Promise<Purchase> {
  const key = await session.freshKey({ credits: 10 });
  const token = paymentToken(session, prefix);
  const { result: response, credits } = await balanceChange(session, key, () =>
    buy(session, key, { token, pack }),
  );
  skipUnlessStatus(response, 200);
  return { key, token, response, fields: fieldsOf(response.json), credits };
}

/** Buys a pack with a new key. @throws SkipCheck also when that adds no credits, which has other checks. */
async function buyCredits(session: Session, options?: PurchaseOptions): Promise<Purchase> {
  const purchase = await buyWithNewKey(session, options);
  if (purchase.credits > 0) return purchase;
  throw new SkipCheck("The purchase has not added credits yet, which has other checks.");
}
