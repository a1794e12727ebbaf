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
export function sleep(clock: Clock, delay: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, delay);
  });
}

/** Settles as a call does, or rejects with `message` after `timeout` milliseconds of the clock. */
export async function withTimeout<Result>(
  clock: Clock,
  timeout: number,
  call: Promise<Result>,
  message: string,
): Promise<Result> {
  let timer: unknown;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimeout(() => reject(new Error(message)), timeout);
  });
  try {
    return await Promise.race([call, expiry]);
  } finally {
    clock.clearTimeout(timer);
  }
}
