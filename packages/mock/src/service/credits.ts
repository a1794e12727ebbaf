import type { Options } from "../options.ts";
import type { JobRecord, KeyRecord, LedgerEntry } from "../store/records.ts";
import type { Tables } from "../store/store.ts";
import { limits } from "./catalogue.ts";
import { contentBlocked } from "./next-jobs.ts";
import { ServiceError } from "./service-error.ts";

/** Changes a balance and adds the change to the ledger, so the balance is always the sum of the ledger. */
export function changeBalance(
  tables: Tables,
  key: KeyRecord,
  change: Omit<LedgerEntry, "keyId">,
): KeyRecord {
  if (change.credits === 0) return key;
  const changed = { ...key, credits: key.credits + change.credits };
  tables.keys.put(changed);
  tables.ledger.put({ keyId: key.id, ...change });
  return changed;
}

export function chargeCredits(
  tables: Tables,
  key: KeyRecord,
  charge: { credits: number; jobId: string; at: number; dailySpendCap: Options["dailySpendCap"] },
): KeyRecord {
  const { credits, jobId, at, dailySpendCap } = charge;
  if (key.credits < credits) {
    throw new ServiceError(
      "insufficient-credits",
      `Insufficient credits: this try-on costs ${credits} and the key has ${key.credits}. Buy a pack or choose a smaller output_size.`,
      "submit.402.too-few-credits",
    );
  }
  const day = dayOf(at);
  const daySpent = (key.day === day ? key.daySpent : 0) + credits;
  // Stryker disable next-line ConditionalExpression,StringLiteral: no number is above "off".
  if (dailySpendCap !== "off" && daySpent > dailySpendCap) {
    throw new ServiceError(
      "insufficient-credits",
      `Another ${credits} credits would exceed the key's cap of ${dailySpendCap} credits a day (UTC); try again tomorrow or raise the cap.`,
      "limits.daily-spend-cap.value",
    );
  }
  const charged = { ...key, day, daySpent };
  return changeBalance(tables, charged, { credits: -credits, cause: "tryon", at, jobId });
}

export function refundCredits(
  tables: Tables,
  key: KeyRecord,
  job: JobRecord,
  at: number,
): KeyRecord {
  const credits = job.costCredits;
  const sameDay = key.day === dayOf(job.createdAt);
  const daySpent = sameDay ? Math.max(0, key.daySpent - credits) : key.daySpent;
  return changeBalance(
    tables,
    { ...key, daySpent },
    { credits, cause: "refund", at, jobId: job.id },
  );
}

export function settleCredits(
  tables: Tables,
  job: JobRecord,
  { refund, suspendAfterContentBlocked }: Options,
): void {
  const key = tables.keys.getOrThrow(job.keyId);
  const isBlocked = job.errorMessage === contentBlocked;
  const contentBlockedInARow = isBlocked ? key.contentBlockedInARow + 1 : 0;
  const isSuspended =
    // Stryker disable next-line ConditionalExpression,StringLiteral: no number reaches "off".
    suspendAfterContentBlocked !== "off" && contentBlockedInARow >= suspendAfterContentBlocked;
  const counted: KeyRecord = {
    ...key,
    contentBlockedInARow,
    state: isSuspended ? "suspended" : key.state,
  };
  tables.keys.put(counted);
  const isRefunded =
    job.status === "failed" &&
    (refund === "failed" || (refund === "failed-except-content-blocked" && !isBlocked));
  if (isRefunded) refundCredits(tables, counted, job, job.completedAt ?? job.createdAt);
}

function dayOf(at: number): number {
  return Math.floor(at / limits.day);
}
