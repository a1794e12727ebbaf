/** Where a receiver gets its time from. The clock of the reference server is one, too. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after `delay` milliseconds. */
  setTimeout(callback: () => void, delay: number): unknown;
  /** Takes a timer back. */
  clearTimeout(timer: unknown): void;
}

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delay) => globalThis.setTimeout(callback, delay),
  // What comes back is what the line above gave out.
  clearTimeout: (timer) => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Resolves after `delay` milliseconds of the clock. */
export function pause(clock: Clock, delay: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, delay);
  });
}
