import { systemClock, type Times } from "../clock.ts";

/**
 * Rule for the time of a store. `less`: for claims, which others take over once they have ended. `more`: for promises of
 * others that end by themselves, such as the key of a submission.
 */
export type ClockRule = "less" | "more";

/**
 * Creates the clock of a store that has no clock of its own: a file, whose processes share a date that can be set. Its time
 * never goes back. While a process has the store open, it goes by the clock of the process that says less or more.
 * While none has, only dates say how long that was: by `less`, it was no time at all.
 *
 * @returns a function that returns the time, from the one that is stored, in milliseconds since 1970
 */
export function createStoreClock(
  rule: ClockRule,
  times: Times = systemClock,
): (stored?: number) => number {
  const choose = Math[rule === "less" ? "min" : "max"];
  let last: { readonly date: number; readonly monotonic: number } | undefined;
  let time = 0;
  return (stored) => {
    const [date, monotonic] = [times.now(), times.monotonic?.() ?? times.now()];
    if (last) time += Math.max(0, choose(date - last.date, monotonic - last.monotonic));
    else if (stored === undefined || rule === "more") time = date;
    last = { date, monotonic };
    return (time = Math.max(time, stored ?? 0));
  };
}
