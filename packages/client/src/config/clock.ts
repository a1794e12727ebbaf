import type { Clock } from "./options.ts";

/** Clock of a client: dates go by `now`, durations by `monotonic`, and a timer may have any delay. */
export type ClientClock = Required<Clock>;

/** Source of both times. */
type Times = Pick<Clock, "now" | "monotonic">;

/** Maximum delay of a timer of the platform, in milliseconds. A longer one would fire at once. */
const maxTimer = 2 ** 31 - 1;

/** Completed clocks by the clock that was passed, and by themselves. */
const clocks = new WeakMap<Clock, ClientClock>();

/** Completes a clock, once. */
export function clientClock(clock: Clock): ClientClock {
  const known = clocks.get(clock);
  if (known) return known;
  const completed: ClientClock = {
    now: () => clock.now(),
    monotonic: monotonicOf(clock),
    setTimeout: (callback, delay) => {
      const timer: Timer = { current: undefined };
      const arm = (left: number): void => {
        const next = left > maxTimer ? () => arm(left - maxTimer) : callback;
        timer.current = clock.setTimeout(next, Math.max(0, Math.min(left, maxTimer)));
      };
      arm(delay);
      return timer;
    },
    // Timers come from the function above.
    clearTimeout: (timer) => clock.clearTimeout((timer as Timer | undefined)?.current),
  };
  clocks.set(clock, completed);
  clocks.set(completed, completed);
  return completed;
}

interface Timer {
  /** Timer of the clock that was passed. */
  current: unknown;
}

/** Returns the function that reads the monotonic time: by default, the time that `now` has moved forward. */
export function monotonicOf(clock: Times): () => number {
  if (clock.monotonic) return () => Number(clock.monotonic?.());
  let last = clock.now();
  let time = last;
  return () => {
    const now = clock.now();
    time += Math.max(0, now - last);
    last = now;
    return time;
  };
}

/**
 * Starts to measure the time that a promise of others still holds: that the service remembers a key, or that a claim or a
 * signed URL is valid. The clock that says more counts. Either can be wrong: one is set back, the other stands still while
 * the machine sleeps.
 *
 * @param startedAt - Date of the start, if it is earlier than the call.
 */
export function ageSince(clock: Times, startedAt = clock.now()): () => number {
  const monotonic = monotonicOf(clock);
  const earlier = clock.now() - startedAt - monotonic();
  return () => Math.max(clock.now() - startedAt, earlier + monotonic());
}

/** Clock of this machine. */
export const systemClock = clientClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, delay) => globalThis.setTimeout(callback, delay),
  // `Clock` has no type for timers: they come from the line above.
  clearTimeout: (timer) => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>),
});

/** Returns the clock that `useMock` of `@tryon/mock` sets for the clients of a test, or else that of this machine. */
export function defaultClock(): Clock {
  const shared = globalThis as { readonly [name: symbol]: Clock | undefined };
  return shared[Symbol.for("@tryon/client.clock")] ?? systemClock;
}
