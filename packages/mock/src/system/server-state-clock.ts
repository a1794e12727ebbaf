import type { Clock, Timer, SystemClock } from "./clock.ts";

/**
 * The server's hand on the clock of its world, which it shares with clients and tests. When the server is put into
 * another state, it lets go of its own timers and of nobody else's.
 */
export class ServerStateClock implements Clock {
  readonly #clock: SystemClock;
  readonly #timers = new Set<Timer>();
  #ended = false;

  constructor(clock: SystemClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  setTimeout(callback: () => void, delay: number): Timer {
    // Work that outlives its epoch may still want timers; they would wake nobody.
    if (this.#ended) return { dueAt: this.now() + delay };
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

  /** See {@link SystemClock.during}. */
  during<T>(work: () => Promise<T>, patience?: number): Promise<T> {
    return this.#clock.during(work, patience);
  }

  /** See {@link SystemClock.outside}. */
  outside<T>(waiting: Promise<T>, patience?: number, lacksTime?: boolean): Promise<T> {
    return this.#clock.outside(waiting, patience, lacksTime);
  }

  /** Takes all its timers back; those that are set from now on never fire. */
  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}
