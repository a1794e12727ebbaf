import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type Fields } from "../../wire/response.ts";
import { checkGroup, mustHave, mustHaveStatus, type Condition } from "../expectations.ts";
import { balanceChange, readBalance, skipUnlessStatus } from "./balance.ts";
import { buy, buyWithNewKey, order, paymentToken, type Purchase } from "./purchases.ts";
import type { Key } from "../../target/keys.ts";

const openStatus = "purchase.validation.400-or-422";
const invalid = "purchase.400.invalid-pack-or-token";
const tokenLength = "purchase-request.shared-payment-granted-token.length";
const later = "purchase.pending.granted-later";
const statuses = "purchase-response.status.open-set";

const anyAction: Condition = {
  text: "an object with fields",
  passes: (value) => Object.keys(fieldsOf(value)).length > 0,
};

/** Makes the body of an order. A field that is undefined is left out. */
function orderOf(token: string | undefined, pack: string | undefined): Fields {
  return { pack_slug: pack, shared_payment_granted_token: token };
}

const refusedOrders = checkGroup({ level: "safe", on: "any", credits: 0 }, [
  {
    id: "purchase.unknown-pack",
    title: "Responds with 400 to an unknown pack",
    rules: [invalid, "purchase-request.pack-slug.values", openStatus],
    async run(session) {
      const body = orderOf(paymentToken(session), "no-such-pack");
      mustHaveStatus(await order(session, session.key, body), 400, "an unknown pack");
    },
  },
  {
    id: "purchase.foreign-token",
    title: "Responds with 400 to a token that does not begin with spt_",
    rules: [invalid, "purchase-request.shared-payment-granted-token.grant", openStatus],
    async run(session) {
      const response = await buy(session, session.key, { token: session.unique("tok") });
      mustHaveStatus(response, 400, "a token without spt_");
    },
  },
  {
    id: "purchase.token-length",
    title: "Takes a token of 200 characters, and responds with 422 to one of 3 or 201",
    rules: [tokenLength],
    on: "test",
    async run(session) {
      const longest = paymentToken(session).padEnd(200, "x");
      for (const token of ["spt", `${longest}x`]) {
        const response = await buy(session, session.key, { token });
        mustHaveStatus(response, 422, `a token of ${token.length} characters`);
      }
      const taken = await buy(session, session.key, { token: longest });
      must(taken.status !== 422, "A token of 200 characters got 422.", taken);
    },
  },
  {
    id: "purchase.missing-field",
    title: "Responds with 422 to a purchase without a pack or without a token",
    rules: ["purchase-request.pack-slug.values", tokenLength],
    async run(session) {
      for (const body of [orderOf(paymentToken(session), undefined), orderOf(undefined, "demo")]) {
        const response = await order(session, session.key, body);
        mustHaveStatus(response, 422, "a purchase that lacks a field");
      }
    },
  },
]);

/** Purchases that fail, are repeated, or are not final with the response. */
export const purchaseOutcomeChecks = [
  ...refusedOrders,
  ...checkGroup({ level: "paid", on: "any", credits: 0 }, [
    {
      id: "purchase.payment-failed",
      title: "Responds with 402 to a payment that is declined or has no funds",
      rules: ["purchase.402.payment-failed"],
      async run(session) {
        const key = await session.freshKey();
        for (const prefix of ["declined_", "insufficient_funds_"]) {
          const response = await buy(session, key, { token: paymentToken(session, prefix) });
          mustHaveStatus(response, 402, `a payment with the token spt_${prefix}`);
        }
      },
    },
    {
      id: "purchase.payment-failed.nothing-granted",
      title: "Adds no credits for a payment that failed",
      rules: ["purchase.402.payment-failed", "errors.402.not-charged"],
      async run(session) {
        const key = await session.freshKey();
        const token = paymentToken(session, "declined_");
        const { result, credits } = await balanceChange(session, key, () =>
          buy(session, key, { token }),
        );
        skipUnlessStatus(result, 402);
        must(credits === 0, `A payment that failed changed the balance by ${credits}.`, result);
      },
    },
    {
      id: "purchase.repeat.granted-once",
      title: "Adds the credits of a repeated purchase once",
      rules: ["purchase.repeat.idempotent"],
      async run(session) {
        const { key, token } = await buyWithNewKey(session);
        const { result, credits } = await balanceChange(session, key, () =>
          buy(session, key, { token }),
        );
        must(credits === 0, `A repeated purchase added another ${credits} credits.`, result);
      },
    },
    {
      id: "purchase.repeat.same-payment",
      title: "Returns the first payment for a repeated purchase, or 409",
      rules: ["purchase.repeat.idempotent", "purchase.repeat.answer"],
      async run(session) {
        const { key, token, fields } = await buyWithNewKey(session);
        const response = await buy(session, key, { token });
        if (response.status === 409) return;
        mustHaveStatus(response, [200, 409], "a repeated purchase");
        const expected = { payment_intent_id: String(fields["payment_intent_id"]) };
        mustHave(response, expected, "a repeated purchase");
      },
    },
    {
      id: "purchase.repeat.other-pack",
      title: "Responds with 409 to another pack for a used token",
      rules: ["purchase.409.already-processed"],
      async run(session) {
        const { key, token } = await buyWithNewKey(session);
        const response = await buy(session, key, { token, pack: "starter" });
        mustHaveStatus(response, 409, "a token that has paid for another pack");
      },
    },
    {
      id: "purchase.repeat.other-key",
      title: "Responds with 409 to a token that another key has used",
      rules: ["purchase.409.already-processed"],
      async run(session) {
        const { key, token } = await buyWithNewKey(session);
        if (key.accountId === undefined) throw new SkipCheck("The account of the key is unknown.");
        const response = await buy(session, await session.siblingKey(key), { token });
        mustHaveStatus(response, 409, "a token that another key has used");
      },
    },
    ...["processing", "requires_action", "canceled"].map((status) => ({
      id: `purchase.${status === "canceled" ? "other-status" : status.replace("_", "-")}`,
      title: `Reports a payment that is ${status}, and adds no credits`,
      rules: status === "canceled" ? [statuses] : [later, statuses],
      async run(session: Session) {
        const { credits, response } = await buyWithNewKey(session, { prefix: `${status}_` });
        mustHave(response, { status }, `a purchase with a payment that is ${status}`);
        must(credits === 0, `A payment that is ${status} added ${credits} credits.`, response);
      },
    })),
    {
      id: "purchase.pending.credits-added",
      title: "Reports 0 in credits_added for a purchase that is not final",
      rules: ["purchase-response.credits-added.this-call", later],
      async run(session) {
        const { response } = await buyWithNewKey(session, { prefix: "processing_" });
        mustHave(response, { credits_added: 0 }, "a purchase that is not final");
      },
    },
    {
      id: "purchase.requires-action.next-action",
      title: "Has the action that a purchase requires in next_action",
      rules: ["purchase-response.next-action.requires-action"],
      async run(session) {
        const { response } = await buyWithNewKey(session, { prefix: "requires_action_" });
        mustHave(response, { next_action: anyAction }, "a purchase that requires an action");
      },
    },
    {
      id: "purchase.pending.settled",
      title: "Adds the credits of a purchase that was not final when its payment succeeds",
      rules: [later],
      async run(session) {
        const pending = await buyWithNewKey(session, { prefix: "processing_" });
        const before = await readBalance(session, pending.key);
        await settle(session, pending);
        const added = (await readBalance(session, pending.key)) - before;
        const message = `Expected 100 credits after the payment for the pack demo, got ${added}.`;
        must(added === 100, message, pending.response);
      },
    },
    {
      id: "purchase.pending.settled-once",
      title: "Adds the credits of a payment that is reported twice once",
      rules: [later, "purchase.repeat.idempotent"],
      async run(session) {
        const pending = await buyWithNewKey(session, { prefix: "processing_" });
        await settle(session, pending);
        const { credits } = await balanceChange(session, pending.key, () =>
          settle(session, pending),
        );
        const message = `The second report of a payment added ${credits} credits.`;
        must(credits === 0, message, pending.response);
      },
    },
    {
      id: "purchase.notification.signature",
      title: "Responds with 400 to a payment notification with a wrong signature, and adds nothing",
      rules: ["payments.notification.form"],
      async run(session) {
        const { key, fields } = await buyWithNewKey(session, { prefix: "processing_" });
        const { result, credits } = await forgeNotification(session, key, fields);
        mustHaveStatus(result, 400, "a forged notification");
        must(credits === 0, `A forged notification added ${credits} credits.`, result);
      },
    },
  ]),
];

function forgeNotification(session: Session, key: Key, fields: Fields) {
  const object = { id: fields["payment_intent_id"] };
  const seconds = Math.floor(session.time.now() / 1_000);
  return balanceChange(session, key, () =>
    session.request("POST", "/api/webhooks/payments", {
      key: null,
      body: { type: "payment_intent.succeeded", data: { object } },
      headers: { "stripe-signature": `t=${seconds},v1=${"0".repeat(64)}` },
    }),
  );
}

/** Makes the payment processor report that a payment has succeeded. */
async function settle(session: Session, { fields }: Purchase): Promise<void> {
  await session.control.post(`payments/${String(fields["payment_intent_id"])}/settle`, {});
}
