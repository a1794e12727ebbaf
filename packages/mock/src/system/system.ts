import type { SystemClock } from "./clock.ts";
import { SeededRandom } from "./random.ts";
import type { Clock, Timer } from "./timers.ts";

/** Milliseconds of the machine that a manual clock waits for others, such as the receiver of a webhook. */
export const patience = 1_000;

/** The only source of time and randomness in the server. */
export interface System {
  readonly clock: ServerStateClock;
  readonly random: SeededRandom;
}

export function createSystem(parts: { clock: SystemClock; seed: string }): System {
  return { clock: new ServerStateClock(parts.clock), random: new SeededRandom(parts.seed) };
}

/**
 * The system clock as one state of the server uses it. The server shares the clock with clients and tests; when its state
 * is replaced, only its own timers are cleared.
 */
export class ServerStateClock implements Clock {
  readonly during: SystemClock["during"];
  readonly outside: SystemClock["outside"];
  readonly #clock: SystemClock;
  readonly #timers = new Set<Timer>();
  #ended = false;

  constructor(clock: SystemClock) {
    this.#clock = clock;
    this.during = clock.during.bind(clock);
    this.outside = clock.outside.bind(clock);
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimeout(callback: () => void, delay: number): Timer {
    // Work of a replaced state may still set timers; they must not fire.
    if (this.#ended) return { dueAt: this.monotonic() + delay };
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, delay);
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer === undefined) return;
    this.#timers.delete(timer);
    this.#clock.clearTimeout(timer);
  }

  pass(delay: number): Promise<void> {
    return this.outside(new Promise<void>((resolve) => this.setTimeout(resolve, delay)));
  }

  /** Waits for work, and returns undefined after `delay` milliseconds of this clock. The work goes on. */
  async within<T>(delay: number, work: () => Promise<T>): Promise<T | undefined> {
    const timeout = Promise.withResolvers<undefined>();
    const timer = this.setTimeout(() => timeout.resolve(undefined), delay);
    try {
      return await this.outside(Promise.race([work(), timeout.promise]));
    } finally {
      this.clearTimeout(timer);
    }
  }

  /** Clears all timers of this state; timers set afterwards never fire. */
  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}
