import type { JobRecord, KeyRecord, LedgerEntry } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import type { Options } from "../options.ts";
import { limits } from "./catalogue.ts";
import { ServiceError } from "./service-error.ts";

type Change = Omit<LedgerEntry, "keyId">;

/** Changes a balance and writes why, in one step: the balance is at all times the sum of the ledger. */
export async function changeBalance(
  transaction: Transaction,
  key: KeyRecord,
  change: Change,
): Promise<KeyRecord> {
  if (change.credits === 0) return key;
  const changed = { ...key, credits: key.credits + change.credits };
  await transaction.putKey(changed);
  await transaction.addLedgerEntry({ keyId: key.id, ...change });
  return changed;
}

/**
 * Takes the price of a job from its key.
 *
 * @throws Refusal `insufficient-credits` when the balance or the cap of the day does not hold it.
 */
export async function chargeCredits(
  transaction: Transaction,
  key: KeyRecord,
  charge: { credits: number; jobId: string; at: number; dailySpendCap: Options["dailySpendCap"] },
): Promise<KeyRecord> {
  const { credits, jobId, at, dailySpendCap } = charge;
  if (key.credits < credits) {
    throw new ServiceError(
      "insufficient-credits",
      `Insufficient credits: this try-on costs ${credits} and the key has ${key.credits}. Buy a pack or choose a smaller output_size.`,
    );
  }
  const day = dayOf(at);
  const daySpent = (key.day === day ? key.daySpent : 0) + credits;
  if (dailySpendCap !== "off" && daySpent > dailySpendCap) {
    throw new ServiceError(
      "insufficient-credits",
      `The key's cap of ${dailySpendCap} credits a day (UTC) does not hold another ${credits}; try again tomorrow or raise the cap.`,
    );
  }
  const charged = { ...key, day, daySpent };
  return changeBalance(transaction, charged, { credits: -credits, cause: "tryon", at, jobId });
}

/** Gives the price of a job back; it does not count against the cap of its day any more. */
export async function refundCredits(
  transaction: Transaction,
  key: KeyRecord,
  job: JobRecord,
  at: number,
): Promise<KeyRecord> {
  const credits = job.costCredits;
  const sameDay = key.day === dayOf(job.createdAt);
  const daySpent = sameDay ? Math.max(0, key.daySpent - credits) : key.daySpent;
  return changeBalance(
    transaction,
    { ...key, daySpent },
    { credits, cause: "refund", at, jobId: job.id },
  );
}

/** The UTC day of a time, counted since 1970. */
function dayOf(at: number): number {
  return Math.floor(at / limits.day);
}
