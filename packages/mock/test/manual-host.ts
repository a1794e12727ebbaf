import type { ClockHost } from "../src/system/host.ts";

/** A machine whose time and timers stand still until the test moves them. */
export function manualHost() {
  let now = 1_000;
  let offset = 0;
  let next = 0;
  const timers = new Map<number, { at: number; callback: () => void }>();
  const warnings: string[] = [];
  const host = {
    now: () => now + offset,
    monotonic: () => now,
    setTimeout: (callback: () => void, delay: number) => {
      timers.set((next += 1), { at: now + delay, callback });
      return next;
    },
    clearTimeout: (timer: number | undefined) => timers.delete(timer ?? -1),
    warn: (message: string) => warnings.push(message),
  };
  return {
    // The clock hands timers back and never looks into them, so numbers do.
    host: host as unknown as ClockHost,
    warnings,
    pending: () => [...timers.values()].map(({ at }) => at - now),
    /** Sets the date of the machine forward, or back. */
    setDate: (length: number) => void (offset += length),
    pass(span: number): void {
      now += span;
      for (const [timer, { at, callback }] of timers) {
        if (at <= now && timers.delete(timer)) callback();
      }
    },
  };
}
