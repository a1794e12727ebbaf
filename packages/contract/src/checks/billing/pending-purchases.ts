import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf } from "../../wire/response.ts";
import { gained, readBalance } from "./balance.ts";
import { bought, packs, type Bought } from "./purchase.ts";

const later = "purchase.pending.granted-later";

/** Purchases that are not final when they are answered; a reference server's processor makes them on demand. */
export const pendingPurchaseChecks: readonly Check[] = [
  ...["processing", "requires_action"].map(pendingCheck),
  {
    id: "purchase.pending.credits-added",
    title: "A purchase that is not final adds no credits, and says so",
    rules: ["purchase-response.credits-added.this-call", later],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { fields, answer } = await bought(session, { word: "processing_" });
      const { credits_added: added } = fields;
      must(
        added === 0,
        `A purchase that is not final says credits_added ${String(added)}, and not 0.`,
        answer,
      );
    },
  },
  {
    id: "purchase.requires-action.next-action",
    title: "A purchase that requires an action says which",
    rules: ["purchase-response.next-action.requires-action"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { fields, answer } = await bought(session, { word: "requires_action_" });
      must(
        Object.keys(fieldsOf(fields["next_action"])).length > 0,
        "A purchase that requires an action has no next_action.",
        answer,
      );
    },
  },
  {
    id: "purchase.other-status",
    title: "A purchase may end in yet another status, such as canceled, and brings nothing then",
    rules: ["purchase-response.status.open-set"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { fields, credits, answer } = await bought(session, { word: "canceled_" });
      must(
        fields["status"] === "canceled" && credits === 0,
        `A payment that was canceled was answered ${String(fields["status"])}, with ${credits} credits.`,
        answer,
      );
    },
  },
  {
    id: "purchase.pending.settled",
    title: "The credits of a purchase that was not final come when its payment has gone through",
    rules: [later],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const pending = await bought(session, { word: "processing_", pack: "demo" });
      const before = await readBalance(session, pending.key);
      await settle(session, pending);
      const brought = (await readBalance(session, pending.key)) - before;
      must(
        brought === packs["demo"]?.credits,
        `When the payment for the pack demo had gone through, ${brought} credits came.`,
        pending.answer,
      );
    },
  },
  {
    id: "purchase.pending.settled-once",
    title: "A payment that is reported twice brings its credits once",
    rules: [later, "purchase.repeat.idempotent"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const pending = await bought(session, { word: "processing_" });
      await settle(session, pending);
      const { credits } = await gained(session, pending.key, () => settle(session, pending));
      must(
        credits === 0,
        `The second report of a payment brought ${credits} credits.`,
        pending.answer,
      );
    },
  },
  {
    id: "purchase.notification.signature",
    title: "A notification of a payment whose signature is wrong is a 400, and brings nothing",
    rules: ["payments.notification.form"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { key, fields } = await bought(session, { word: "processing_" });
      const object = { id: fields["payment_intent_id"] };
      const seconds = Math.floor(session.time.now() / 1_000);
      const { result, credits } = await gained(session, key, () =>
        session.call("POST", "/api/webhooks/payments", {
          key: null,
          body: { type: "payment_intent.succeeded", data: { object } },
          headers: { "stripe-signature": `t=${seconds},v1=${"0".repeat(64)}` },
        }),
      );
      must(
        result.status === 400 && credits === 0,
        `A forged notification was answered ${result.status}, and brought ${credits} credits.`,
        result,
      );
    },
  },
];

function pendingCheck(status: string): Check {
  return {
    id: `purchase.${status.replace("_", "-")}`,
    title: `A purchase that is ${status} is answered so, and has brought nothing yet`,
    rules: [later, "purchase-response.status.open-set"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const { fields, credits, answer } = await bought(session, { word: `${status}_` });
      must(
        fields["status"] === status && credits === 0,
        `A payment that was ${status} was answered ${String(fields["status"])}, with ${credits} credits.`,
        answer,
      );
    },
  };
}

/** Has the processor report that a payment has gone through. */
async function settle(session: Session, { fields }: Bought): Promise<void> {
  await session.control.post(`payments/${String(fields["payment_intent_id"])}/settle`, {});
}
