import type { RateLimit } from "../types/attempt.ts";
import { delayOf } from "./retry-policy.ts";

/** Returns the rate limit from the headers of a response, or undefined unless all of them are there. */
export function readRateLimit(headers: Headers, now: number): RateLimit | undefined {
  const limit = Number.parseInt(String(headers.get("x-ratelimit-limit")));
  // Most responses have no such header, and reading each one takes time.
  if (!(limit >= 0)) return undefined;
  const remaining = Number.parseInt(String(headers.get("x-ratelimit-remaining")));
  const delay = delayOf(headers, "x-ratelimit-reset", now);
  if (Number.isNaN(remaining) || delay === undefined) return undefined;
  return { limit, remaining, resetAt: now + delay, source: "headers" };
}
