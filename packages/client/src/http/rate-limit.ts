import type { RateLimit } from "../types/attempt.ts";
import { delayOf } from "./retry-policy.ts";

/** What an answer says of the rate limit, if it says all of it. */
export function readRateLimit(headers: Headers, now: number): RateLimit | undefined {
  const limit = Number.parseInt(String(headers.get("x-ratelimit-limit")));
  // Most answers say nothing of it, and each look at headers takes time.
  if (!(limit >= 0)) return undefined;
  const remaining = Number.parseInt(String(headers.get("x-ratelimit-remaining")));
  const pause = delayOf(headers, "x-ratelimit-reset", now);
  if (Number.isNaN(remaining) || pause === undefined) return undefined;
  return { limit, remaining, resetAt: now + pause, source: "headers" };
}
