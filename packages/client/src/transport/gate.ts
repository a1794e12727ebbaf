import type { Clock } from "./clock.ts";
import type { Deadline } from "./deadline.ts";
import type { RateLimit } from "./rate-limit.ts";
import { longestRetryAfter } from "./retry.ts";

/** How far apart calls are let in that waited for the same moment, in milliseconds. */
const spread = 1_000;
/** What requests are counted over, in milliseconds. */
const rateWindow = 60_000;

/** What every request of a client to the service goes through: a 429 to one of them holds back all. */
export class Gate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #openAt = 0;
  #heard: RateLimit | undefined;
  #count = 0;
  #countsUntil = 0;
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

  /** Lets nothing in for so many milliseconds. */
  close(pause: number): void {
    this.#openAt = Math.max(this.#openAt, this.#clock.now() + pause);
    this.#count = Number.POSITIVE_INFINITY;
    this.#countsUntil = this.#openAt;
  }

  /** Waits to be let in. Gives true when that would take too long, and nothing is to be sent. */
  async refuses(deadline: Deadline): Promise<boolean> {
    for (let wait = this.wait; wait > 0; wait = this.wait) {
      const left = deadline.left();
      if (wait > longestRetryAfter || wait >= left) return true;
      // Not to the very end of the time: the call would end in a way that hides why.
      await deadline.sleep(Math.min(wait + this.#random() * spread, Math.max(wait, left - 1)));
    }
    return false;
  }

  /** Counts a request that is let in. */
  count(): void {
    this.#renew();
    this.#count += 1;
  }

  /** Takes what an answer says of the limit. */
  hear(heard: RateLimit | undefined): void {
    if (heard) this.limit = (this.#heard = heard).limit;
  }

  /** What is known of the limit now. */
  get rateLimit(): RateLimit | undefined {
    const { limit } = this;
    if (this.#heard && this.#heard.resetAt > this.#clock.now()) return this.#heard;
    if (limit === undefined) return undefined;
    this.#renew();
    const remaining = Math.max(0, limit - this.#count);
    return { limit, remaining, resetAt: this.#countsUntil, source: "count" };
  }

  /** Begins to count anew when a minute is over. */
  #renew(): void {
    const now = this.#clock.now();
    if (now < this.#countsUntil) return;
    this.#countsUntil = now + rateWindow;
    this.#count = 0;
  }
}
