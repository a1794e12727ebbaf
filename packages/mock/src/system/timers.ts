import TinyQueue from "tinyqueue";

/** A timer of a {@link Clock}; opaque. */
export interface Timer {
  /** Monotonic time of its clock at which the timer fires, in milliseconds. */
  readonly dueAt: number;
}

/** Time and timers: the client takes one as its `clock` option. */
export interface Clock {
  /** Returns the date, in milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Returns a time in milliseconds that no change of the date moves. Durations and timers go by it. */
  monotonic(): number;
  /** Calls `callback` once, after `delay` milliseconds of this clock. */
  setTimeout(callback: () => void, delay: number): Timer;
  /** Cancels a timer. Does nothing for one that has fired. */
  clearTimeout(timer: Timer | undefined): void;
}

export interface PendingTimer extends Timer {
  readonly order: number;
  callback: (() => void) | undefined;
}

/** The timers of a clock by due time. Timers of one instant keep the order in which they were set. */
export class Timers {
  #order = 0;
  #pending = 0;
  readonly #queue = new TinyQueue<PendingTimer>(
    [],
    (a, b) => a.dueAt - b.dueAt || a.order - b.order,
  );

  get pending(): number {
    return this.#pending;
  }

  add(dueAt: number, callback: () => void): Timer {
    const timer = { dueAt, order: this.#order++, callback };
    this.#queue.push(timer);
    this.#pending += 1;
    return timer;
  }

  take(timer: PendingTimer): (() => void) | undefined {
    const { callback } = timer;
    if (callback === undefined) return undefined;
    // Finding its place in the queue would cost more than keeping it until it is first.
    timer.callback = undefined;
    this.#pending -= 1;
    return callback;
  }

  next(): PendingTimer | undefined {
    for (let timer = this.#queue.peek(); timer !== undefined; timer = this.#queue.peek()) {
      if (timer.callback !== undefined) return timer;
      this.#queue.pop();
    }
    return undefined;
  }

  clear(): void {
    for (let timer = this.#queue.pop(); timer !== undefined; timer = this.#queue.pop()) {
      timer.callback = undefined;
    }
    this.#pending = 0;
  }
}
