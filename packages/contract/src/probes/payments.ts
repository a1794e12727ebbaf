import type { Probe } from "../check.ts";
import { gained } from "../checks/billing/balance.ts";
import { failedJob, type Failure } from "../checks/billing/failed-job.ts";
import { buy, paymentToken } from "../checks/billing/purchase.ts";
import { CheckFailure, SkipCheck } from "../outcome.ts";
import type { Session } from "../session.ts";
import { fieldsOf } from "../wire/response.ts";

const price = 8;

/** What becomes of credits where the document says two things. */
export const paymentProbes: readonly Probe[] = [
  {
    id: "observed.refund",
    option: "refund",
    title: "Which failed jobs give their credits back",
    rules: ["credits.refund.failed-job", "credits.refund.content-blocked"],
    level: "paid",
    on: "any",
    credits: 0,
    async observe(session) {
      const rejected = await isRefunded(session, "model_rejected");
      const stored = await isRefunded(session, "storage_failed");
      const blocked = await isRefunded(session, "content_blocked");
      if (rejected !== stored || (blocked && !rejected)) {
        throw new CheckFailure(
          `A rejection by the model is ${inWords(rejected)}, a failure of the storage ${inWords(stored)} and refused content ${inWords(blocked)}.`,
        );
      }
      if (!rejected) return "none";
      return blocked ? "failed" : "failed-except-content-blocked";
    },
  },
  {
    id: "observed.purchaseRepeat",
    option: "purchaseRepeat",
    title: "What the same pair of key and token gets the second time",
    rules: ["purchase.repeat.answer"],
    level: "safe",
    on: "any",
    credits: 0,
    async observe(session) {
      const { control } = session.bench;
      const key = control === undefined ? session.key : await session.freshKey();
      // Elsewhere a payment with a live key is a real one.
      if (control === undefined && key.kind === "live") throw new SkipCheck("It takes a test key.");
      const token = paymentToken(session);
      const first = await buy(session, key, { token });
      const again = await buy(session, key, { token });
      if (first.status !== 200) return undefined;
      if (again.status === 409) return 409;
      const [before, after] = [first, again].map(({ json }) => fieldsOf(json)["payment_intent_id"]);
      // A test key's purchase need not be recorded, and is a new one then.
      return again.status === 200 && before === after ? "replay" : undefined;
    },
  },
];

/** Whether a job that failed in this way cost nothing in the end. */
async function isRefunded(session: Session, failure: Failure): Promise<boolean> {
  const key = await session.freshKey({ credits: 50 });
  const { result: job, credits } = await gained(session, key, () =>
    failedJob(session, key, failure),
  );
  if (fieldsOf(job.json)["status"] !== "failed") {
    throw new SkipCheck("The job did not fail, which other checks look at.");
  }
  if (credits === 0) return true;
  if (credits === -price) return false;
  throw new CheckFailure(
    `A job of ${price} credits that failed has taken ${-credits} in the end.`,
    job,
  );
}

function inWords(refunded: boolean): string {
  return refunded ? "refunded" : "not refunded";
}
