import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf } from "../../wire/response.ts";
import { checkRows, mustHave, mustHaveStatus, rowsFor } from "../expectations.ts";
import { mustChangeBalance, skipUnlessStatus } from "./balance.ts";
import { buy, buyWithNewKey, payment } from "./purchases.ts";

const refused = [400, 422] as const;

const invalid = "purchase.400.invalid-pack-or-token";
const tokenLength = "purchase-request.shared-payment-granted-token.length";
const later = "purchase.pending.granted-later";
const statuses = "purchase-response.status.open-set";

export const purchaseOutcomeChecks = [
  ...checkRows("safe", 0, {
    "purchase.unknown-pack": {
      title: "Refuses an unknown pack",
      rules: [invalid, "purchase-request.pack-slug.values"],
      async run(session) {
        const response = await buy(session, { pack_slug: "no-such-pack" });
        mustHaveStatus(response, refused, "an unknown pack");
      },
    },
    "purchase.foreign-token": {
      title: "Refuses a token that does not begin with spt_",
      rules: [invalid, "purchase-request.shared-payment-granted-token.grant"],
      async run(session) {
        const fields = { shared_payment_granted_token: session.http.unique("tok") };
        mustHaveStatus(await buy(session, fields), refused, "a token without spt_");
      },
    },
    "purchase.token-length": {
      title: "Takes a token of 200 characters, and refuses one of 3 or 201",
      rules: [tokenLength],
      on: "test",
      async run(session) {
        const longest = `spt_${session.http.unique()}`.padEnd(200, "x");
        for (const token of ["spt", `${longest}x`, longest]) {
          const response = await buy(session, { shared_payment_granted_token: token });
          const isRefused = refused.some((status) => status === response.status);
          const message = `A token of ${token.length} characters got ${response.status}.`;
          must(isRefused === (token !== longest), message, response);
        }
      },
    },
    "purchase.missing-field": {
      title: "Refuses a purchase without a pack or without a token",
      rules: ["purchase-request.pack-slug.values", tokenLength],
      async run(session) {
        for (const field of ["pack_slug", "shared_payment_granted_token"]) {
          const response = await buy(session, { [field]: undefined });
          mustHaveStatus(response, refused, `a purchase without ${field}`);
        }
      },
    },
  }),
  ...checkRows("paid", 0, {
    "purchase.payment-failed": {
      title: "Responds with 402 to a payment that is declined or has no funds",
      rules: ["purchase.402.payment-failed"],
      newKey: {},
      async run(session) {
        for (const prefix of ["declined_", "insufficient_funds_"]) {
          const response = await buy(session, payment(session, prefix));
          mustHaveStatus(response, 402, `a payment with the token spt_${prefix}`);
        }
      },
    },
    "purchase.payment-failed.nothing-granted": {
      title: "Adds no credits for a payment that failed",
      rules: ["purchase.402.payment-failed", "errors.402.not-charged"],
      newKey: {},
      run: (session) =>
        mustChangeBalance(session, 0, "a payment that failed", async () =>
          skipUnlessStatus(await buy(session, payment(session, "declined_")), 402),
        ),
    },
    "purchase.repeat.granted-once": {
      title: "Adds the credits of a repeated purchase once",
      rules: ["purchase.repeat.idempotent"],
      async run(session) {
        const { order } = await buyWithNewKey(session);
        await mustChangeBalance(session, 0, "a repeated purchase", () => buy(session, order));
      },
    },
    "purchase.repeat.same-payment": {
      title: "Returns the first payment for a repeated purchase, or 409",
      rules: ["purchase.repeat.idempotent"],
      async run(session) {
        const { order, id } = await buyWithNewKey(session);
        const response = await buy(session, order);
        if (response.status === 409) return;
        mustHaveStatus(response, [200, 409], "a repeated purchase");
        mustHave(response, { payment_intent_id: id }, "a repeated purchase");
      },
    },
    "purchase.repeat.other-pack": {
      title: "Responds with 409 to another pack for a used token",
      // Key and token identify a purchase, so that a replay of the first one is right too.
      rules: ["purchase.repeat.answer"],
      async run(session) {
        const { order } = await buyWithNewKey(session);
        const response = await buy(session, { ...order, pack_slug: "starter" });
        mustHaveStatus(response, 409, "a token that has paid for another pack");
      },
    },
    "purchase.repeat.other-pack.granted-once": {
      title: "Adds no credits for another pack with a used token",
      rules: ["purchase.repeat.idempotent"],
      async run(session) {
        const { order } = await buyWithNewKey(session);
        const other = { ...order, pack_slug: "starter" };
        const what = "another pack with a used token";
        await mustChangeBalance(session, 0, what, () => buy(session, other));
      },
    },
    "purchase.repeat.other-key": {
      title: "Responds with 409 to a token that another key has used",
      rules: ["purchase.409.already-processed"],
      async run(session) {
        const { order } = await buyWithNewKey(session);
        need(session.keys.own.accountId, "The account of the key is unknown.");
        session.keys.own = await session.keys.sibling();
        mustHaveStatus(await buy(session, order), 409, "a token that another key has used");
      },
    },
    ...rowsFor(["processing", "requires_action", "canceled"], (status) => ({
      id: `purchase.${status === "canceled" ? "other-status" : status.replace("_", "-")}`,
      title: `Reports a payment that is ${status}, and adds no credits`,
      rules: status === "canceled" ? [statuses] : [later, statuses],
      async run(session) {
        const { credits, response } = await buyWithNewKey(session, payment(session, `${status}_`));
        mustHave(response, { status }, `a purchase with a payment that is ${status}`);
        must(credits === 0, `A payment that is ${status} added ${credits} credits.`, response);
      },
    })),
    "purchase.pending.credits-added": {
      title: "Reports 0 in credits_added for a purchase that is not final",
      rules: ["purchase-response.credits-added.this-call", later],
      async run(session) {
        const { response } = await buyPending(session);
        mustHave(response, { credits_added: 0 }, "a purchase that is not final");
      },
    },
    "purchase.requires-action.next-action": {
      title: "Has the action that a purchase requires in next_action",
      rules: ["purchase-response.next-action.requires-action"],
      async run(session) {
        const { response } = await buyWithNewKey(session, payment(session, "requires_action_"));
        const action = {
          text: "an object with fields",
          passes: (value: unknown) => Object.keys(fieldsOf(value)).length > 0,
        };
        mustHave(response, { next_action: action }, "a purchase that requires an action");
      },
    },
    "purchase.pending.settled": {
      title: "Adds the credits of a purchase that was not final when its payment succeeds",
      rules: [later],
      async run(session) {
        const { id } = await buyPending(session);
        const what = "the report of a payment for the pack demo";
        await mustChangeBalance(session, 100, what, () => settle(session, id));
      },
    },
    "purchase.pending.settled-once": {
      title: "Adds the credits of a payment that is reported twice once",
      rules: [later, "purchase.repeat.idempotent"],
      async run(session) {
        const { id } = await buyPending(session);
        await settle(session, id);
        const what = "the second report of a payment";
        await mustChangeBalance(session, 0, what, () => settle(session, id));
      },
    },
    "purchase.notification.signature": {
      title: "Responds with 400 to a payment notification with a wrong signature, and adds nothing",
      rules: ["payments.notification.form"],
      async run(session) {
        const { id } = await buyPending(session);
        const seconds = Math.floor(session.time.now() / 1_000);
        const notification = {
          key: null,
          body: { type: "payment_intent.succeeded", data: { object: { id } } },
          headers: { "stripe-signature": `t=${seconds},v1=${"0".repeat(64)}` },
        };
        const what = "a forged notification";
        await mustChangeBalance(session, 0, what, async () => {
          const path = "/api/webhooks/payments";
          mustHaveStatus(await session.http.request("POST", path, notification), 400, what);
        });
      },
    },
  }),
];

function buyPending(session: Session) {
  return buyWithNewKey(session, payment(session, "processing_"));
}

async function settle({ keys }: Session, paymentId: string): Promise<void> {
  await keys.control.post(`payments/${paymentId}/settle`, {});
}
