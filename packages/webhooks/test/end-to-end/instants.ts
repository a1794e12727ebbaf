import type { Clock } from "../../src/index.ts";

/**
 * A clock on another one that asks it for one timer where many are due at the same instant: a clock
 * moved by hand looks round after each, and hundreds of receivers in step would make that long.
 */
export function instantsOf(clock: Clock): Clock {
  const due = new Map<number, Set<() => void>>();
  return {
    now: () => clock.now(),
    setTimeout(callback, delay) {
      const at = clock.now() + delay;
      const callbacks = due.get(at) ?? new Set();
      // Each timer is a function of its own, though the same callback may be given twice.
      const timer = (): void => callback();
      callbacks.add(timer);
      if (!due.has(at)) {
        due.set(at, callbacks);
        clock.setTimeout(() => {
          due.delete(at);
          for (const call of callbacks) call();
        }, delay);
      }
      return timer;
    },
    clearTimeout(timer) {
      // Only the line above gives timers out.
      for (const callbacks of due.values()) callbacks.delete(timer as () => void);
    },
  };
}
