/** Where the client takes time from; the clock of the reference server is one. */
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

/** Machines count down 31 bits of milliseconds; a longer timer would fire at once. */
export const maxTimer = 2 ** 31 - 1;
