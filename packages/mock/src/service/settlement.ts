import type { Options } from "../options.ts";
import type { JobRecord } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import { refundCredits } from "./credits.ts";
import { mustFind } from "./keys.ts";
import { contentBlocked } from "./outcome.ts";

/** What the end of a job means for its key: refused content is counted, and a failure may be refunded. */
export async function settleCredits(
  transaction: Transaction,
  job: JobRecord,
  { refund, suspendAfterContentBlocked }: Options,
): Promise<void> {
  const key = await mustFind(transaction, job.keyId);
  const blocked = job.errorMessage === contentBlocked;
  const contentBlockedInARow = blocked ? key.contentBlockedInARow + 1 : 0;
  const suspended =
    suspendAfterContentBlocked !== "off" && contentBlockedInARow >= suspendAfterContentBlocked;
  const counted = {
    ...key,
    contentBlockedInARow,
    state: suspended ? ("suspended" as const) : key.state,
  };
  if (blocked || key.contentBlockedInARow !== 0) await transaction.putKey(counted);
  const refunded =
    job.status === "failed" &&
    (refund === "failed" || (refund === "failed-except-content-blocked" && !blocked));
  if (refunded) await refundCredits(transaction, counted, job, job.completedAt ?? job.createdAt);
}
