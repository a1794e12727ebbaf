import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { elementsOf, fieldsOf } from "../../wire/response.ts";
import { readBalance } from "./balance.ts";
import { bought, packs, type Bought } from "./purchase.ts";

/** What a purchase that goes through brings, and what its answer says. */
export const purchaseChecks: readonly Check[] = [
  {
    id: "purchase.granted-at-once",
    title: "An agent buys credits with a token, and has them when a succeeded purchase is answered",
    rules: [
      "purchase.succeeded.granted-at-once",
      "purchase.agent.shared-token",
      "purchase.request-and-answer",
      "purchase-request.shared-payment-granted-token.grant",
    ],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { fields, credits, answer } = await bought(session);
      must(
        fields["status"] === "succeeded",
        `A payment that went through was answered ${String(fields["status"])}, and not succeeded.`,
        answer,
      );
      must(
        credits > 0,
        "When a succeeded purchase was answered, the balance was what it had been.",
        answer,
      );
    },
  },
  {
    id: "purchase.answer.credits-added",
    title: "credits_added is what the purchase put on the balance",
    rules: ["purchase-response.credits-added.this-call"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { fields, credits, answer } = await bought(session);
      proceedWithCredits(credits);
      must(
        fields["credits_added"] === credits,
        `credits_added is ${String(fields["credits_added"])}, and ${credits} came onto the balance.`,
        answer,
      );
    },
  },
  {
    id: "purchase.answer.credits-remaining",
    title: "credits_remaining is the balance after the purchase",
    rules: ["purchase-response.credits-remaining.balance"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { key, fields, credits, answer } = await bought(session);
      proceedWithCredits(credits);
      const balance = await readBalance(session, key);
      must(
        fields["credits_remaining"] === balance,
        `credits_remaining is ${String(fields["credits_remaining"])}, and the balance is ${balance}.`,
        answer,
      );
    },
  },
  {
    id: "purchase.answer.pack",
    title: "The answer to a purchase repeats the pack, and has no next action when it succeeded",
    rules: [
      "purchase-response.pack-slug.bought",
      "purchase-response.next-action.requires-action",
      "purchase-response.payment-intent-id.present",
    ],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { fields, answer } = await bought(session, { pack: "starter" });
      const { pack_slug: pack, status, next_action: action = null } = fields;
      must(
        pack === "starter",
        `The pack starter was bought, and the answer says ${String(pack)}.`,
        answer,
      );
      must(
        status !== "succeeded" || action === null,
        "A purchase that succeeded has a next_action.",
        answer,
      );
    },
  },
  ...Object.entries(packs).map(([pack, { credits }]) => packCheck(pack, credits)),
  {
    id: "packs.prices",
    title: "The discovery document tells the price of each pack",
    rules: Object.keys(packs).map((pack) => `packs.${pack}.price-and-credits`),
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.call("GET", "/api/discovery", { key: null });
      const { capabilities } = fieldsOf(answer.json);
      const { packs: listed } = fieldsOf(fieldsOf(capabilities)["agentic_commerce"]);
      const offers = elementsOf(listed).map(fieldsOf);
      if (offers.every((offer) => offer["price_usd"] === undefined)) {
        throw new SkipCheck(
          "The discovery document tells no prices here; what it looks like is not said.",
        );
      }
      for (const [pack, { price }] of Object.entries(packs)) {
        const told = offers.find((offer) => offer["pack_slug"] === pack)?.["price_usd"];
        must(
          told === price,
          `The pack ${pack} is offered for ${String(told)} US dollars, and not for ${price}.`,
          answer,
        );
      }
    },
  },
];

function packCheck(pack: string, expected: number): Check {
  return {
    id: `packs.${pack}`,
    title: `The pack ${pack} brings ${expected} credits`,
    rules: [`packs.${pack}.price-and-credits`, "purchase-request.pack-slug.values"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { credits, answer } = await bought(session, { pack });
      proceedWithCredits(credits);
      must(
        credits === expected,
        `The pack ${pack} brought ${credits} credits, and not ${expected}.`,
        answer,
      );
    },
  };
}

/** @throws Skip when a purchase brought nothing: that it brings something is a claim of its own. */
function proceedWithCredits(credits: Bought["credits"]): void {
  if (credits > 0) return;
  throw new SkipCheck("The purchase has brought nothing yet, which other checks look at.");
}
