import type { RateLimit } from "@tryon/client";

/** State that determines when the next submission may start. Times are in milliseconds since 1970. */
export interface SubmissionRate {
  readonly now: number;
  /** Time of the next start by even spacing. */
  readonly dueAt: number;
  /** Time until which nothing starts, after transient failures. */
  readonly backoffUntil: number;
  /** If true, submissions wait for their results, so that an item takes one request. */
  readonly sync: boolean;
  /** Rate limit of the key, if known. */
  readonly rateLimit?: Pick<RateLimit, "limit" | "remaining" | "resetAt" | "source"> | undefined;
}

const minute = 60_000;
/** Share of the rate limit reserved for polls. Submissions that wait for their results need few. */
const pollShare = { sync: 0.03, polled: 0.2 } as const;
/** Minimum number of requests per minute reserved for other calls. */
const minReserved = 1.5;
/** Time in milliseconds by which a start may be early, so that late timers cost nothing. */
const tolerance = 250;

/** Returns the time between starts in milliseconds, so that any 60 seconds stay within the rate limit. */
export function spacing({ sync, rateLimit }: Pick<SubmissionRate, "sync" | "rateLimit">): number {
  if (rateLimit === undefined || rateLimit.limit <= 0) return 0;
  const { limit } = rateLimit;
  const reserved = Math.max(minReserved, limit * pollShare[sync ? "sync" : "polled"]);
  return minute / Math.max(limit - reserved, limit / 2);
}

/** Returns the delay before the next start, in milliseconds. */
export function startDelay(rate: SubmissionRate): number {
  const { now, dueAt, backoffUntil } = rate;
  return Math.max(0, dueAt - tolerance - now, backoffUntil - now, resetDelay(rate));
}

/** Returns the delay until the rate limit resets, if nothing remains. Checks an estimated reset again soon. */
function resetDelay(rate: SubmissionRate): number {
  if (rate.rateLimit === undefined) return 0;
  const { remaining, resetAt, source } = rate.rateLimit;
  const reset = resetAt - rate.now;
  if (remaining > 0 || reset <= 0) return 0;
  return source === "headers" ? reset : Math.min(reset, spacing(rate));
}

/** Returns the time of the start after one at `now`. */
export function nextDueAt(rate: SubmissionRate): number {
  return Math.max(rate.now, rate.dueAt) + spacing(rate);
}

/**
 * Returns the maximum number of items to read before they start: those that start within a second or within `preparation`,
 * the time in milliseconds to create an input.
 */
export function maxReadAhead(
  rate: Pick<SubmissionRate, "sync" | "rateLimit">,
  preparation: number,
): number {
  const apart = spacing(rate);
  if (apart === 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(1_000 / apart)) + Math.ceil(preparation / apart);
}

/** Returns the backoff after consecutive transient failures: 1 s, then twice as long each time, up to 60 s. */
export function backoffAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(minute, 1_000 * 2 ** (failures - 1));
}
