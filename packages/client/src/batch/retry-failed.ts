import type { SavedJob } from "@tryon/client";

import type { JournalEntry } from "./journal.ts";

/** Policy for items whose job failed. Each attempt is a new job with its own idempotency key and its own charge. */
export interface RetryFailed {
  /** Maximum number of jobs of one item in all runs, including the first one: a whole number from 1 to 10. */
  readonly maxAttempts: number;
  /**
   * Reasons of failed jobs that are tried again: their `error_message`, or else their `error_code`. Reasons such as
   * `content_blocked` are an error, since repeated refusals can suspend the key.
   *
   * @default ["generation_failed", "storage_failed"]
   */
  readonly codes?: readonly string[] | undefined;
}

export const defaultCodes: readonly string[] = ["generation_failed", "storage_failed"];

/** Words of reasons that refuse content. A service can add reasons. */
const refusals = /content|block|moderat|safety|polic|nsfw|sensitive|prohibit|disallow|refus/i;

/** Returns true for a reason that refuses content, which is never tried again. */
export const isRefusal = (reason: string): boolean => refusals.test(reason);

/** Returns the failed jobs of an item that waits for its next attempt, oldest first. */
export function failuresOf(entry: JournalEntry | undefined): readonly SavedJob[] {
  const { state, job, failedJobs = [] } = entry ?? {};
  if (state === "failed" && job) return [...failedJobs, job];
  return state === "refused" ? failedJobs : [];
}

/**
 * Decides whether an item gets another attempt. A pure function.
 *
 * @param jobs - All jobs of the item, which have failed, oldest first.
 */
export function isRetried(policy: RetryFailed | undefined, jobs: readonly SavedJob[]): boolean {
  if (!policy || jobs.length === 0 || jobs.length >= policy.maxAttempts) return false;
  const { error_message: message, error_code: code } = jobs.at(-1)?.data ?? {};
  const isRefused = [message, code].some((reason) => isRefusal(reason ?? ""));
  return !isRefused && (policy.codes ?? defaultCodes).includes(message || code || "");
}
