import { httpDate, parseRetryAfter } from "./retry.ts";

/** How many requests a key may make. */
export interface RateLimit {
  /** Requests a minute. */
  readonly limit: number;
  /** How many of them are left until `resetAt`. */
  readonly remaining: number;
  /** When they are all there again, by the clock of this machine, in milliseconds since 1970. */
  readonly resetAt: number;
  /** Whether the service said so, or this client counted its own requests against the limit of its account. */
  readonly source: "headers" | "count";
}

/** Larger than any number of seconds to wait, and smaller than any date in seconds since 1970. */
const dateFrom = 1e9;

/**
 * When the limit is reset, from `X-RateLimit-Reset` in seconds since 1970 or from now. A date is compared with the `Date`
 * of the same answer, so that a wrong clock on this side does no harm.
 */
function resetOf(headers: Headers, now: number): number {
  const reset = Number.parseFloat(headers.get("x-ratelimit-reset") ?? "");
  if (reset < dateFrom) return now + reset * 1_000;
  return reset * 1_000 + now - (httpDate(headers.get("date") ?? "") ?? now);
}

/** What an answer says of the rate limit, if it says all of it. */
export function readRateLimit(headers: Headers, now: number): RateLimit | undefined {
  const limit = Number.parseFloat(headers.get("x-ratelimit-limit") ?? "");
  const remaining = Number.parseFloat(headers.get("x-ratelimit-remaining") ?? "");
  const resetAt = resetOf(headers, now);
  if (!Number.isFinite(limit + remaining + resetAt)) return undefined;
  return { limit, remaining, resetAt, source: "headers" };
}

/** How long an answer asks to wait, in milliseconds. */
export function pauseAskedFor(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  now: number,
): number | undefined {
  const retryAfter = parseRetryAfter(headers, now);
  if (retryAfter !== undefined || status !== 429) return retryAfter;
  const pause = resetOf(headers, now) - now;
  return Number.isFinite(pause) ? Math.max(0, pause) : undefined;
}
