import type { ClientClock } from "../config/clock.ts";
import type { Deadline } from "./deadline.ts";
import { maxDelay, maxJitter, type QueueName, type RequestLimiter } from "./rate-limiter.ts";

/** Delays the requests of a page after a 429. Its proxy hides the rate limit of the API key, which all pages share. */
export class PageLimiter implements RequestLimiter {
  isPolling = false;
  limit: undefined;
  readonly rateLimit: undefined;
  readonly #clock: ClientClock;
  readonly #random: () => number;
  #blockedUntil = 0;
  #sent = 0;

  constructor(clock: ClientClock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  block(delay: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#clock.monotonic() + delay);
  }

  delay(): number {
    return Math.ceil(Math.max(0, this.#blockedUntil - this.#clock.monotonic()));
  }

  async acquire(_queue: QueueName, deadline: Deadline, waits = true): Promise<number> {
    for (let delay = this.delay(); delay > 0; delay = this.delay()) {
      if (!waits || delay > maxDelay || delay >= deadline.left()) return 0;
      await deadline.sleep(delay + this.#random() * maxJitter);
    }
    return (this.#sent += 1);
  }

  update(): void {
    // The headers are not read.
  }
}
