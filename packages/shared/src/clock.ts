interface GivenClock {
  now(): number;
  monotonic?(): number;
  setTimeout(callback: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Source of time: dates go by `now`, durations by `monotonic`, and a timer may have any delay. */
export interface CompleteClock extends GivenClock {
  monotonic(): number;
}

export type Times = Pick<GivenClock, "now" | "monotonic">;

/** Maximum delay of a timer of the platform, in milliseconds. A longer one would fire at once. */
export const maxTimer = 2 ** 31 - 1;

const clocks = new WeakMap<GivenClock, CompleteClock>();

export function completeClock(clock: GivenClock): CompleteClock {
  let completed = clocks.get(clock);
  if (!completed) {
    completed = {
      now: () => clock.now(),
      monotonic: monotonicOf(clock),
      setTimeout: (callback, delay) => {
        const timer: unknown[] = [];
        const arm = (left: number): void => {
          const next = left > maxTimer ? () => arm(left - maxTimer) : callback;
          timer[0] = clock.setTimeout(next, Math.max(0, Math.min(left, maxTimer)));
        };
        arm(delay);
        return timer;
      },
      // Timers come from the function above.
      clearTimeout: (timer) => clock.clearTimeout((timer as unknown[] | undefined)?.[0]),
    };
    clocks.set(clock, completed);
  }
  return completed;
}

/** Returns the function that reads the monotonic time: by default, the time that `now` has moved forward. */
export function monotonicOf(clock: Times): () => number {
  if (clock.monotonic) return () => clock.monotonic?.() ?? 0;
  let last = clock.now();
  let time = last;
  return () => {
    const now = clock.now();
    if (now > last) time += now - last;
    last = now;
    return time;
  };
}

/**
 * Starts to measure the time for which a promise of others may hold: that the service remembers a key, or that a claim or a
 * signed URL is valid. The clock that says more counts, since each can be wrong: one is set back, the other stands still
 * while the machine sleeps.
 */
export function ageSince(clock: Times): () => number {
  const monotonic = monotonicOf(clock);
  const [date, start] = [clock.now(), monotonic()];
  return () => Math.max(clock.now() - date, monotonic() - start);
}

export const systemClock = /* @__PURE__ */ completeClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, delay) => globalThis.setTimeout(callback, delay),
  // `GivenClock` has no type for timers: they come from the line above.
  clearTimeout: (timer) => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>),
});
