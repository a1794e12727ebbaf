/** Source of time of a receiver. The clock of the reference server is one too. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Calls back once, after `delay` milliseconds. */
  setTimeout(callback: () => void, delay: number): unknown;
  /** Cancels a timer. */
  clearTimeout(timer: unknown): void;
}

/** Clock of the runtime. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delay) => globalThis.setTimeout(callback, delay),
  // The line above created the timer.
  clearTimeout: (timer) => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>),
};
