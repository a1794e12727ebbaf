/** Source of time of a receiver. The clock of the reference server is one too. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /**
   * Returns milliseconds since any start, like `performance.now()`. Setting the date of the machine
   * must not change it. Durations go by it.
   *
   * @default the time that `now` has moved forward
   */
  monotonic?(): number;
  /** Calls back once, after `delay` milliseconds. */
  setTimeout(callback: () => void, delay: number): unknown;
  /** Cancels a timer. */
  clearTimeout(timer: unknown): void;
}
