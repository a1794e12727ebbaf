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

/** Resolves after `delay` milliseconds of the clock. */
export function sleep(clock: Clock, delay: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, delay);
  });
}

/** Settles like a promise, or rejects with `message` after `timeout` milliseconds of the clock. */
export async function withTimeout<Result>(
  clock: Clock,
  timeout: number,
  promise: Promise<Result>,
  message: string,
): Promise<Result> {
  let timer: unknown;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimeout(() => reject(new Error(message)), timeout);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clock.clearTimeout(timer);
  }
}
