import type { RateLimiterOptions } from "bullmq";

/** How much of the limit the items get; the rest is for looking at jobs that take long, and for what is sent again. */
const share = 0.9;
const minute = 60_000;

/**
 * How fast all workers together may begin items, so that a key with so many requests a minute never has more than that in
 * any 60 seconds, wherever its minute begins. One large window a minute would not do: what is begun at the end of one and
 * what is begun at the start of the next come within the same minute of the service.
 */
export function pace(requestsPerMinute: number): RateLimiterOptions {
  const perMinute = requestsPerMinute * share;
  const max = Math.max(1, Math.floor(perMinute / 60));
  return { max, duration: Math.ceil((minute * max) / perMinute) };
}
