import type { Clock } from "./clock.ts";
import type { Deadline } from "./deadline.ts";
import { readRateLimit, type RateLimit } from "./rate-limit.ts";
import { longestRetryAfter } from "./retry.ts";

/** How far apart calls are let in that waited for the same moment, in milliseconds. */
const spread = 1_000;
/** What limits are counted over, in milliseconds. */
const rateWindow = 60_000;

/** What every request of a client to the service goes through: a 429 to one of them holds back all. */
export class Gate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #openAt = 0;
  #heard: RateLimit | undefined;
  #countedUntil = 0;
  #count = 0;
  /** Requests a minute, once the service has said how many. */
  limit: number | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds until requests are let in. */
  get wait(): number {
    return Math.max(0, this.#openAt - this.#clock.now());
  }

  /** Lets nothing in for a while, in milliseconds. */
  close(pause: number): void {
    this.#openAt = Math.max(this.#openAt, this.#clock.now() + pause);
  }

  /** Waits to be let in. Gives true when that would take too long, and nothing is to be sent. */
  async refuses(deadline: Deadline): Promise<boolean> {
    for (let wait = this.wait; wait > 0; wait = this.wait) {
      const left = deadline.left();
      if (wait > longestRetryAfter || wait >= left) return true;
      // Never to the very end of the time: the call would end in a way that hides why.
      await deadline.sleep(Math.min(wait + this.#random() * spread, Math.max(wait, left - 1)));
    }
    return false;
  }

  /** Counts a request that is about to be sent. */
  count(): void {
    const now = this.#clock.now();
    if (now >= this.#countedUntil) {
      this.#countedUntil = now + rateWindow;
      this.#count = 0;
    }
    this.#count += 1;
  }

  /** Takes what an answer says of the limit. */
  hear(headers: Headers): void {
    const heard = readRateLimit(headers, this.#clock.now());
    this.#heard = heard ?? this.#heard;
    this.limit = heard?.limit ?? this.limit;
  }

  /** What is known of the limit now. */
  get rateLimit(): RateLimit | undefined {
    const now = this.#clock.now();
    if (this.#heard && this.#heard.resetAt > now) return this.#heard;
    const { limit } = this;
    if (limit === undefined) return undefined;
    const counting = this.#countedUntil > now;
    const closed = this.#openAt > now;
    return {
      limit,
      remaining: closed ? 0 : Math.max(0, limit - (counting ? this.#count : 0)),
      resetAt: closed ? this.#openAt : counting ? this.#countedUntil : now + rateWindow,
      source: "count",
    };
  }
}
