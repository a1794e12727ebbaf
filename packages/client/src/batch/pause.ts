import type { Clock } from "@tryon/client";

/** More than this a machine cannot count down in one go, in milliseconds. */
const longestPause = 2 ** 31 - 1;

/** Waits, and rejects at once with the signal's reason when that is aborted meanwhile. Leaves no timer and no listener. */
export function pause(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // A signal may carry any value as its reason, and that very value is handed on.
    const stop = (): void => {
      clock.clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = clock.setTimeout(
      () => {
        signal.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(delay, longestPause),
    );
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
