import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { packs } from "../../wire/document.ts";
import { elementsOf, fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { checkRows, isNone, mustHave, mustHaveStatus, oneOf, rowsFor } from "../expectations.ts";
import { balanceChange, mustChangeBalance, skipUnlessStatus } from "./balance.ts";

const cardData = /"(card|card_number|cvc|cvv|exp_month|exp_year|last4)"|\b\d{15,19}\b/;

export const purchaseChecks = checkRows("paid", 0, {
  "purchase.granted-at-once": {
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
  "purchase.response.credits-added": {
    title: "Reports the credits that the purchase added in credits_added",
    rules: ["purchase-response.credits-added.this-call"],
    async run(session) {
      const { credits, response } = await buyCredits(session);
      mustHave(response, { credits_added: credits }, "a purchase, as in the account");
      const next = await balanceChange(session, () => buy(session, { pack_slug: "starter" }));
      skipUnlessStatus(next.result, 200);
      const expected = { credits_added: next.credits };
      mustHave(next.result, expected, "the next purchase of the key, as in the account");
    },
  },
  "purchase.no-card-data": {
    title: "Has no card data in the response to a purchase",
    rules: ["purchase.agent.shared-token"],
    level: "safe",
    on: "test",
    async run(session) {
      const responses = [await buy(session)];
      // A payment that requires an action is real without the control API.
      if (session.keys.hasControl) {
        const pending = await buyWithNewKey(session, payment(session, "requires_action_"));
        responses.push(pending.response);
      }
      for (const response of responses) {
        skipUnlessStatus(response, 200);
        const [found] = cardData.exec(response.text) ?? [];
        must(found === undefined, `The response to a purchase has ${String(found)}.`, response);
      }
    },
  },
  "purchase.response.credits-remaining": {
    title: "Reports the balance after the purchase in credits_remaining",
    rules: ["purchase-response.credits-remaining.balance"],
    async run(session) {
      const { response } = await buyCredits(session);
      const balance = await session.http.balance();
      mustHave(response, { credits_remaining: balance }, "a purchase, as in the account");
    },
  },
  "purchase.response.pack": {
    title: "Repeats the pack, and has no next action after success",
    rules: [
      "purchase-response.pack-slug.bought",
      "purchase-response.next-action.requires-action",
      "purchase-response.payment-intent-id.present",
    ],
    async run(session) {
      const { response } = await buyWithNewKey(session, { pack_slug: "starter" });
      const noAction = {
        text: "null or absent after success",
        passes: (value: unknown, { status }: Fields) => status !== "succeeded" || isNone(value),
      };
      const expected = { pack_slug: "starter", next_action: noAction };
      mustHave(response, expected, "a purchase of the pack starter");
    },
  },
  ...rowsFor(Object.entries(packs), ([pack, { credits: expected }]) => ({
    id: `packs.${pack}`,
    title: `Adds ${expected} credits for the pack ${pack}`,
    rules: [`packs.${pack}.price-and-credits`, "purchase-request.pack-slug.values"],
    async run(session) {
      const { credits, response } = await buyCredits(session, pack);
      const message = `Expected ${expected} credits for the pack ${pack}, got ${credits}.`;
      must(credits === expected, message, response);
    },
  })),
  "packs.prices": {
    title: "Shows the price of each pack in the discovery document",
    rules: Object.keys(packs).map((pack) => `packs.${pack}.price-and-credits`),
    level: "safe",
    async run({ http }) {
      const response = await http.request("GET", "/api/discovery");
      const { capabilities } = fieldsOf(response.json);
      const { packs: listed } = fieldsOf(fieldsOf(capabilities)["agentic_commerce"]);
      const offers = elementsOf(listed).map(fieldsOf);
      const hasPrices = offers.some((offer) => offer["price_usd"] !== undefined);
      need(hasPrices, "The discovery document has no prices; its form is open.");
      for (const [pack, { price_usd: price }] of Object.entries(packs)) {
        const offered = offers.find((offer) => offer["pack_slug"] === pack)?.["price_usd"];
        const message = `Expected the price ${price} of the pack ${pack}, got ${String(offered)}.`;
        must(offered === price, message, response);
      }
    },
  },
  "purchase.test-key.succeeds": {
    title:
      "Responds with succeeded to a purchase of every pack with a test key, whatever the token",
    rules: ["purchase.test-key.fake-success"],
    level: "safe",
    on: "test",
    async run(session) {
      const orders = Object.keys(packs).map((pack) => ({ pack_slug: pack }));
      // A payment processor would decline the last one.
      for (const order of [...orders, { pack_slug: "demo", ...payment(session, "declined_") }]) {
        const what = `a purchase of the pack ${order.pack_slug} with a test key`;
        const response = await buy(session, order);
        mustHaveStatus(response, 200, what);
        mustHave(response, { status: "succeeded" }, what);
      }
    },
  },
  "purchase.test-key.nothing-granted": {
    title: "Adds nothing to the balance for a purchase with a test key",
    rules: ["purchase.test-key.nothing-granted"],
    level: "safe",
    on: "test",
    run: (session) =>
      mustChangeBalance(session, 0, "a purchase with a test key", () => buy(session)),
  },
  "purchase.test-key.credits-added": {
    title: "Reports the credits of the pack, or none, for a purchase with a test key",
    rules: ["purchase.test-key.reported-credits"],
    level: "safe",
    on: "test",
    async run(session) {
      const response = await buy(session, { pack_slug: "pro" });
      skipUnlessStatus(response, 200);
      const expected = { credits_added: oneOf(0, packs.pro.credits) };
      mustHave(response, expected, "a purchase of the pack pro with a test key");
    },
  },
});

/** Makes a new payment token as a field of a purchase. The processor of a reference server reads the outcome from its prefix. */
export function payment({ http }: Session, prefix = ""): Fields {
  return { shared_payment_granted_token: `spt_${prefix}${http.unique()}` };
}

export function buy(session: Session, fields: Fields = {}): Promise<HttpResponse> {
  const body = { pack_slug: "demo", ...payment(session), ...fields };
  return session.http.request("POST", "/api/v1/credits/purchase", { body });
}

/**
 * Gives the check a new key, and buys a pack with it. Returns also the credits that this added to the balance.
 *
 * @throws SkipCheck without the control API, since a payment is real elsewhere, and for any status but 200.
 */
export async function buyWithNewKey(session: Session, fields: Fields = {}) {
  session.keys.own = await session.keys.make({ credits: 10 });
  const order = { ...payment(session), ...fields };
  const { result: response, credits } = await balanceChange(session, () => buy(session, order));
  skipUnlessStatus(response, 200);
  const id = String(fieldsOf(response.json)["payment_intent_id"]);
  return { order, response, id, credits };
}

async function buyCredits(session: Session, pack = "demo") {
  const purchase = await buyWithNewKey(session, { pack_slug: pack });
  need(purchase.credits > 0, "The purchase has not added credits yet, which has other checks.");
  return purchase;
}
