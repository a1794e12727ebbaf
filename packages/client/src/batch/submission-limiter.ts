import { isTryOnError, type TryOn } from "@tryon/client";

import { clientClock } from "../config/clock.ts";
import { transientCodes } from "../errors/tryon-error.ts";
import { Deadline } from "../http/deadline.ts";
import type { TakeTime } from "../jobs/job-poller.ts";
import type { CommonOptions } from "./options.ts";
import type { ItemOutcome } from "./run-item.ts";

const minute = 60_000;
const [initialWindow, maxWindow] = [8, 100];
/** Share of the rate limit reserved for polls. Submissions that wait for their results need few. */
const pollShare = { sync: 0.03, polled: 0.2 } as const;
const minReserved = { sync: 1.5, polled: 3 } as const;
/** Time in milliseconds by which a start may be early, so that late timers cost nothing. */
const tolerance = 250;
/** Time to create an input that delays no start, in milliseconds. */
const maxPreparation = 10_000;

/** Minimum wait for the rate limit that is reported, in milliseconds. */
const minReported = 2_000;

/** Minimum time between starts for which a shared schedule is worth its statements, in milliseconds. */
const minShared = 1;
/** Time of a shared schedule that is taken at once for starts that wait, in milliseconds. */
const maxTaken = 200;

export type SubmissionLimiter = ReturnType<typeof createSubmissionLimiter>;

/** Spaces the starts of items by the rate limit, and limits the number of items in flight. */
export function createSubmissionLimiter(
  tryon: TryOn,
  { concurrency = "auto", sync: syncOption }: CommonOptions,
  signal: AbortSignal,
  takeTime?: TakeTime,
) {
  const clock = clientClock(tryon.clock);
  const deadline = new Deadline(clock, Infinity, signal);
  const isAuto = concurrency === "auto";
  let sync = syncOption !== false;
  /** Maximum number of items in flight. Fractions are rounded down. */
  let window = isAuto ? initialWindow : concurrency;
  /** If true, the window doubles with each round, until the first 429 or 503. */
  let isSlowStart = true;
  /** Time of the last 429, 503 or transient failure. It counts once for all requests sent before. */
  let slowedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  /** Monotonic time of the next start, by even spacing or after a transient failure. */
  let dueAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  let request: Promise<void> | undefined;
  let isRequested = false;
  /** Number of calls of `acquire` that wait. */
  let waiting = 0;
  /** Number of starts that are left of the time taken from the shared schedule. `dueAt` is that of the first one. */
  let taken = 0;
  let isScheduled = false;

  const isFull = (items: number): boolean => items >= Math.floor(window);

  function halve(restarts: boolean): void {
    slowedAt = clock.now();
    isSlowStart = restarts;
    if (isAuto) window = Math.max(1, Math.floor(window / 2));
  }

  /** Returns the time between starts in milliseconds, so that any 60 seconds stay within the rate limit. */
  function spacing(): number {
    const { limit = 0 } = tryon.rateLimit ?? {};
    if (limit <= 0) return 0;
    const mode = sync ? "sync" : "polled";
    const reserved = Math.max(minReserved[mode], limit * pollShare[mode]);
    return minute / Math.max(limit - reserved, limit / 2);
  }

  function untilReset(): number {
    const now = clock.now();
    const { remaining = 1, resetAt = now } = tryon.rateLimit ?? {};
    return remaining > 0 ? 0 : resetAt - now;
  }

  function nextDelay(): number {
    // An estimated reset is checked again soon.
    const latest = tryon.rateLimit?.source === "headers" ? Infinity : spacing();
    const reset = Math.min(untilReset(), latest);
    return Math.max(0, dueAt - tolerance - clock.monotonic(), reset);
  }

  async function wait(): Promise<void> {
    if (tryon.rateLimit === undefined) await (request ??= requestRateLimit());
    deadline.throwIfAborted();
    const take = spacing() >= minShared ? takeTime : undefined;
    await sleepUntilDue();
    if (!take) {
      dueAt = Math.max(clock.monotonic(), dueAt) + spacing();
      return;
    }
    // Time that has passed unused is lost, so that no starts catch up on it.
    if (taken <= 0 || clock.monotonic() - dueAt > tolerance) {
      const starts = Math.max(1, Math.min(waiting, Math.floor(maxTaken / spacing())));
      // The first time includes that of the request for the rate limit.
      const delay = await take((starts + (isScheduled ? 0 : 1)) * spacing());
      isScheduled = true;
      taken = starts;
      dueAt = clock.monotonic() + delay;
      await sleepUntilDue();
    }
    taken -= 1;
    dueAt += spacing();
  }

  async function sleepUntilDue(): Promise<void> {
    let isReported = false;
    for (let delay = nextDelay(); delay > 0; delay = nextDelay()) {
      const reset = untilReset();
      if (!isReported && reset >= minReported) tryon.reportWait(reset);
      isReported ||= reset >= minReported;
      await deadline.sleep(delay);
    }
  }

  /** Requests the rate limit once. A proxy may not report it; then later responses do. */
  async function requestRateLimit(): Promise<void> {
    // A journal with a schedule also counts credits: one request returns both the limit and the prices.
    const limits = { signal: deadline.signal };
    await (takeTime ? tryon.costs(limits) : tryon.account.get(limits)).catch(() => undefined);
    isRequested = true;
  }

  return {
    isFull,

    get sync(): boolean {
      return sync;
    },

    /** Maximum number of items to read before they start, so that slow inputs delay no start. */
    get readAhead(): number {
      if (!isRequested && tryon.rateLimit === undefined) return 1;
      return Math.max(1, Math.ceil(maxPreparation / spacing()));
    },

    acquire(): Promise<void> {
      waiting += 1;
      const turn = last.then(wait).finally(() => (waiting -= 1));
      last = turn.catch(() => undefined);
      return turn;
    },

    ended({ error, attempts = [], startedAt, job }: ItemOutcome, items: number): void {
      if (startedAt === undefined) return;
      // The clock may have been set back.
      slowedAt = Math.min(slowedAt, clock.now());
      if (attempts.some(({ isCut }) => isCut)) sync = false;
      const throttled = attempts.findLast(({ status }) => status === 429 || status === 503);
      if (isTransientFailure(error)) {
        if (startedAt > slowedAt) {
          // 1 s, then twice as long each time, up to 60 s.
          const backoff = Math.min(minute, 1_000 * 2 ** failures);
          failures += 1;
          dueAt = Math.max(dueAt, clock.monotonic() + backoff + tolerance);
          taken = 0;
        }
        // Few items fail during an outage, and afterwards the window can double again.
        halve(true);
        return;
      }
      if (job) failures = 0;
      if (throttled) {
        if (throttled.startedAt > slowedAt) halve(false);
      } else if (isAuto && isFull(items)) {
        window = Math.min(maxWindow, window + (isSlowStart ? 1 : 1 / window));
      }
    },
  };
}

function isTransientFailure(error: unknown): boolean {
  if (!isTryOnError(error)) return false;
  const last = error.code === "outcome_unknown" ? error.cause : error;
  return isTryOnError(last) && transientCodes.has(last.code);
}
