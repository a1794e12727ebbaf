import TinyQueue from "tinyqueue";

import type { Timer } from "./clock.ts";

/** A timer that has not fired yet: its callback is there as long as it may. */
export interface PendingTimer extends Timer {
  dueAt: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

/** The timers of a clock, by the time at which they are due; those due at once in the order in which they were set. */
export class Timers {
  #order = 0;
  #pending = 0;
  readonly #queue = new TinyQueue<PendingTimer>([], byTime);

  /** How many have neither fired nor been taken back. */
  get pending(): number {
    return this.#pending;
  }

  /** A timer that is not in the queue and never fires. */
  make(dueAt: number, callback: () => void): PendingTimer {
    return { dueAt, order: this.#order++, callback };
  }

  add(timer: PendingTimer): void {
    this.#queue.push(timer);
    this.#pending += 1;
  }

  /** Takes a timer out, and gives what was to be called; nothing for one that is out already. */
  take(timer: PendingTimer): (() => void) | undefined {
    const { callback } = timer;
    if (callback === undefined) return undefined;
    // It stays in the queue until it comes to the front: looking for it would cost more.
    timer.callback = undefined;
    this.#pending -= 1;
    return callback;
  }

  /** The timer that is due next. */
  next(): PendingTimer | undefined {
    for (let timer = this.#queue.peek(); timer !== undefined; timer = this.#queue.peek()) {
      if (timer.callback !== undefined) return timer;
      this.#queue.pop();
    }
    return undefined;
  }

  /** Moves them all by the same length. */
  shift(length: number): void {
    // Their order does not change by it, so that of the queue stays right.
    for (const timer of this.#queue.data) timer.dueAt += length;
  }

  /** Forgets them all. */
  clear(): void {
    for (let timer = this.#queue.pop(); timer !== undefined; timer = this.#queue.pop()) {
      timer.callback = undefined;
    }
    this.#pending = 0;
  }
}

function byTime(a: PendingTimer, b: PendingTimer): number {
  return a.dueAt - b.dueAt || a.order - b.order;
}
