import type { TryOnError } from "../errors/tryon-error.ts";
import { nextPollDelay } from "./poll-schedule.ts";
import { isHidden } from "./page-visibility.ts";
import type { RunTime } from "./run-times.ts";

/** Wait for a job. */
export interface PendingWait {
  readonly id: string;
  /** If true, the job is only known by its id, and the first poll is due at once. */
  readonly unseen: boolean;
  /** Start of the job at the service as far as known, in milliseconds since 1970. */
  since: number;
  /** Time since when this client knows the job. Reads may not show a new job yet. */
  readonly knownSince: number;
  /** Names under which its run time is learned. */
  readonly kinds: readonly string[];
  /** Number of polls that returned it. */
  polls: number;
  /** Last transient failure. */
  failure?: TryOnError | undefined;
}

/** Minimum delay after a failure, in milliseconds. */
export const failureDelay = 1_000;
/** Minimum delay while the page is hidden, in milliseconds. */
const minHiddenDelay = 30_000;
/** Time between the last poll and the end of a wait, in milliseconds. */
const lastPollTime = 1_000;

/** Returns the delay before the next poll of a wait with `left` milliseconds, in milliseconds. */
export function pollDelay(
  wait: PendingWait,
  {
    now,
    left,
    runTime,
    random,
  }: { now: number; left: number; runTime: RunTime; random: () => number },
): number {
  const { unseen, polls, since } = wait;
  let delay = unseen && polls === 0 ? 0 : nextPollDelay(now - since, runTime, random);
  if (isHidden()) delay = Math.max(delay, minHiddenDelay);
  return left > lastPollTime ? Math.min(delay, left - lastPollTime) : delay;
}

/** Returns the delay after a failure, in milliseconds. */
export function delayAfter({ retryAfter = 0 }: { readonly retryAfter?: number }): number {
  return Math.max(failureDelay, retryAfter * 1_000);
}
