import type { Clock } from "../config/clock.ts";
import { readShare, type RateLimiter } from "../http/rate-limiter.ts";

/** Requests a minute where the service has not said how many it allows. */
const guess = 60;
/** How much of what others leave of the limit looks may take. */
const share = 0.7;
/** Lists are at least so far apart, in milliseconds. */
const leastRest = 1_000;
const minute = 60_000;

/** How many requests a client sent in all, and how many of them were not looks. */
interface Mark {
  readonly at: number;
  readonly others: number;
}

interface Context {
  readonly config: { readonly clock: Clock };
  readonly rateLimiter: RateLimiter;
}

/** Keeps looks to what the rate limit leaves for them. */
export class PollAllowance {
  readonly #http: Context;
  readonly #marks: Mark[] = [];
  #polls = 0;
  /** When the next look may be, in milliseconds since 1970. */
  opensAt = 0;

  constructor(http: Context) {
    this.#http = http;
  }

  /** Counts looks that are made now. */
  count(polls: number): void {
    this.#delay(polls * this.pause());
    this.#polls += polls;
  }

  /** Has lists lie apart however much the limit allows. */
  rest(): void {
    this.#delay(leastRest);
  }

  /** The pause for each look: a share of the limit, or most of what the other requests of the last minute have left. */
  pause(): number {
    const { config, rateLimiter } = this.#http;
    const now = config.clock.now();
    const others = rateLimiter.sent - this.#polls;
    const marks = this.#marks;
    if (now - (marks.at(-1)?.at ?? 0) >= leastRest) marks.push({ at: now, others });
    while ((marks[1]?.at ?? now) <= now - minute) marks.shift();
    const { limit = guess } = rateLimiter;
    const left = limit - (others - (marks[0]?.others ?? others));
    return minute / Math.max(limit * readShare, left * share);
  }

  #delay(pause: number): void {
    const now = this.#http.config.clock.now();
    this.opensAt = Math.max(this.opensAt, now + pause);
  }
}
