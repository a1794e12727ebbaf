import { setImmediate } from "node:timers/promises";

import type { Clock } from "../src/receiver/clock.ts";

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

export class ManualClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { dueAt: this.#now + delay, callback };
    this.#timers.push(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }

  /** Number of timers that have neither fired nor been canceled. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Skips time without firing timers, like a suspended machine. */
  skip(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Fires all timers until a time. The work that a timer starts continues before the next one fires. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await setImmediate();
    for (;;) {
      const [next] = this.#timers.toSorted((one, other) => one.dueAt - other.dueAt);
      if (next === undefined || next.dueAt > end) break;
      this.clearTimeout(next);
      this.#now = Math.max(this.#now, next.dueAt);
      next.callback();
      await setImmediate();
    }
    this.#now = end;
    await setImmediate();
  }
}
