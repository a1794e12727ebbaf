import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { fieldsOf } from "../../wire/response.ts";
import { gained, proceedWith } from "./balance.ts";
import { bought, buy, order, paymentToken } from "./purchase.ts";

const openStatus = "purchase.validation.400-or-422";

/** Purchases that are not made, and those that are made once only. */
export const purchaseRefusalChecks: readonly Check[] = [
  {
    id: "purchase.unknown-pack",
    title: "An unknown pack is a 400",
    rules: ["purchase.400.invalid-pack-or-token", "purchase-request.pack-slug.values", openStatus],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const token = paymentToken(session);
      const answer = await buy(session, session.key, { token, pack: "no-such-pack" });
      must(
        answer.status === 400,
        `An unknown pack was answered ${answer.status}, and not 400.`,
        answer,
      );
    },
  },
  {
    id: "purchase.foreign-token",
    title: "A token that does not begin with spt_ is a 400",
    rules: [
      "purchase.400.invalid-pack-or-token",
      "purchase-request.shared-payment-granted-token.grant",
      openStatus,
    ],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await buy(session, session.key, { token: session.unique("tok") });
      must(
        answer.status === 400,
        `A token without spt_ was answered ${answer.status}, and not 400.`,
        answer,
      );
    },
  },
  {
    id: "purchase.token-length",
    title: "A token of 3 or of 201 characters is a 422, and one of 200 is not",
    rules: ["purchase-request.shared-payment-granted-token.length"],
    level: "safe",
    on: "test",
    credits: 0,
    async run(session) {
      const longest = paymentToken(session).padEnd(200, "x");
      for (const token of ["spt", `${longest}x`]) {
        const { length } = token;
        const answer = await buy(session, session.key, { token });
        must(
          answer.status === 422,
          `A token of ${length} characters was answered ${answer.status}, and not 422.`,
          answer,
        );
      }
      const taken = await buy(session, session.key, { token: longest });
      must(taken.status !== 422, "A token of 200 characters was answered 422.", taken);
    },
  },
  {
    id: "purchase.missing-field",
    title: "A purchase without a pack or without a token is a 422",
    rules: [
      "purchase-request.pack-slug.values",
      "purchase-request.shared-payment-granted-token.length",
    ],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const token = paymentToken(session);
      const bodies = [{ shared_payment_granted_token: token }, { pack_slug: "demo" }];
      for (const body of bodies) {
        const answer = await order(session, session.key, body);
        const [given] = Object.keys(body);
        must(
          answer.status === 422,
          `A purchase with nothing but ${given} was answered ${answer.status}, and not 422.`,
          answer,
        );
      }
    },
  },
  {
    id: "purchase.payment-failed",
    title: "A payment that is declined or finds no funds is a 402",
    rules: ["purchase.402.payment-failed"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey();
      for (const word of ["declined_", "insufficient_funds_"]) {
        const answer = await buy(session, key, { token: paymentToken(session, word) });
        must(
          answer.status === 402,
          `A payment that failed (${word}) was answered ${answer.status}, and not 402.`,
          answer,
        );
      }
    },
  },
  {
    id: "purchase.payment-failed.nothing-granted",
    title: "A payment that failed brings no credits",
    rules: ["purchase.402.payment-failed", "errors.402.not-charged"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey();
      const token = paymentToken(session, "declined_");
      const { result, credits } = await gained(session, key, () => buy(session, key, { token }));
      proceedWith(result, 402);
      must(credits === 0, `A payment that failed changed the balance by ${credits}.`, result);
    },
  },
  {
    id: "purchase.repeat.granted-once",
    title: "A purchase that is sent again brings its credits once",
    rules: ["purchase.repeat.idempotent"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { key, token } = await bought(session);
      const again = await gained(session, key, () => buy(session, key, { token }));
      must(
        again.credits === 0,
        `A purchase that was sent again brought another ${again.credits} credits.`,
        again.result,
      );
    },
  },
  {
    id: "purchase.repeat.same-payment",
    title: "A purchase that is sent again is answered with its payment, or 409",
    rules: ["purchase.repeat.idempotent", "purchase.repeat.answer"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { key, token, fields } = await bought(session);
      const again = await buy(session, key, { token });
      if (again.status === 409) return;
      must(
        again.status === 200,
        `A purchase that was sent again was answered ${again.status}.`,
        again,
      );
      must(
        fieldsOf(again.json)["payment_intent_id"] === fields["payment_intent_id"],
        "A purchase that was sent again was answered with another payment.",
        again,
      );
    },
  },
  {
    id: "purchase.repeat.other-pack",
    title: "A token that has paid for one pack is a 409 with another",
    rules: ["purchase.409.already-processed"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { key, token } = await bought(session);
      const answer = await buy(session, key, { token, pack: "starter" });
      must(
        answer.status === 409,
        `A token that had paid for another pack was answered ${answer.status}, and not 409.`,
        answer,
      );
    },
  },
  {
    id: "purchase.repeat.other-key",
    title: "A token that another key has used is a 409",
    rules: ["purchase.409.already-processed"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { key, token } = await bought(session);
      if (key.accountId === undefined) throw new SkipCheck("The key's account is not known.");
      const sibling = await session.freshKey({ account_id: key.accountId });
      const answer = await buy(session, sibling, { token });
      must(
        answer.status === 409,
        `A token that another key had used was answered ${answer.status}, and not 409.`,
        answer,
      );
    },
  },
];
