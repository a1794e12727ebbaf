import { delayOf } from "./retry-policy.ts";

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

/** What an answer says of the rate limit, if it says all of it. */
export function readRateLimit(headers: Headers, now: number): RateLimit | undefined {
  const limit = Number.parseInt(headers.get("x-ratelimit-limit") ?? "");
  // Most answers say nothing of it, and each look at headers takes time.
  if (!(limit >= 0)) return undefined;
  const remaining = Number.parseInt(headers.get("x-ratelimit-remaining") ?? "");
  const pause = delayOf(headers, "x-ratelimit-reset", now);
  if (Number.isNaN(remaining) || pause === undefined) return undefined;
  return { limit, remaining, resetAt: now + pause, source: "headers" };
}
