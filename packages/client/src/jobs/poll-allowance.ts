import type { Clock } from "../config/clock.ts";
import { readShare, type RateLimiter } from "../http/rate-limiter.ts";

/** Requests per minute while the limit of the service is unknown. */
const defaultLimit = 60;
/** Share of the requests left by others that polls may use. */
const share = 0.7;
/** Minimum time between lists, in milliseconds. */
const minListGap = 1_000;
/** Minimum time between two counts of the other requests, in milliseconds. */
const countInterval = 1_000;
const minute = 60_000;

interface Context {
  readonly config: { readonly clock: Clock };
  readonly rateLimiter: RateLimiter;
}

/** Limits polls to their share of the rate limit. */
export class PollAllowance {
  readonly #http: Context;
  /** Counts of requests that were not polls, of the last minute. */
  readonly #counts: { readonly at: number; readonly others: number }[] = [];
  #polls = 0;
  /** Time of the next poll, in milliseconds since 1970. */
  opensAt = 0;

  constructor(http: Context) {
    this.#http = http;
  }

  /** Counts polls that are sent now. */
  count(polls: number): void {
    this.#open(polls * this.delay());
    this.#polls += polls;
  }

  /** Delays the next poll after a list, also under a high limit. */
  spaceLists(): void {
    this.#open(minListGap);
  }

  /** Returns the delay per poll, from a share of the limit or of what the other requests of the last minute left. */
  delay(): number {
    const { config, rateLimiter } = this.#http;
    const now = config.clock.now();
    const others = rateLimiter.sent - this.#polls;
    const counts = this.#counts;
    if (now - (counts.at(-1)?.at ?? 0) >= countInterval) counts.push({ at: now, others });
    while ((counts[1]?.at ?? now) <= now - minute) counts.shift();
    const { limit = defaultLimit } = rateLimiter;
    const left = limit - (others - (counts[0]?.others ?? others));
    return minute / Math.max(limit * readShare, left * share);
  }

  #open(delay: number): void {
    const now = this.#http.config.clock.now();
    this.opensAt = Math.max(this.opensAt, now + delay);
  }
}
