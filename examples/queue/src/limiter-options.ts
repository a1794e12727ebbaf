import type { RateLimiterOptions } from "bullmq";

/** Share of the rate limit for new items. The rest is for retries and polls of slow jobs. */
const share = 0.9;
const minute = 60_000;

/**
 * Returns a limit for all workers together that stays under the rate limit in any 60 seconds. The windows are at most
 * about a second long: two full windows of a minute could fall into the same minute of the service.
 */
export function limiterOptions(requestsPerMinute: number): RateLimiterOptions {
  const itemsPerMinute = requestsPerMinute * share;
  const max = Math.max(1, Math.floor(itemsPerMinute / 60));
  return { max, duration: Math.ceil((minute * max) / itemsPerMinute) };
}
