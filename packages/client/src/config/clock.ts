/** Source of time for a client. The clock of the reference server implements it. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Calls back once, after `delay` milliseconds. */
  setTimeout(callback: () => void, delay: number): unknown;
  /** Cancels a timer. */
  clearTimeout(timer: unknown): void;
}

/** Clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delay) => globalThis.setTimeout(callback, delay),
  // `Clock` has no type for timers: they come from the line above.
  clearTimeout: (timer) => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Maximum delay of a timer, in milliseconds. A longer one would fire at once. */
export const maxTimer = 2 ** 31 - 1;
