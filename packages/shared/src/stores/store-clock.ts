import { monotonicOf, systemClock, type Times } from "../clock.ts";

/**
 * Rule for the time of a store. `less`: for claims, which others take over once they have ended. `more`: for promises of
 * others that end by themselves, such as the key of a submission.
 */
export type ClockRule = "less" | "more";

/**
 * Creates the clock of a store in a file. Its processes share a date, which can be set. Its time
 * never goes back. While a process has the store open, the time goes by the monotonic clock, which never says too much; by
 * `more`, also by the date if that says more. While no process has it open, it goes by the date, or by `less` not at all: the
 * date may have been set while another process holds a claim.
 *
 * @returns a function that returns the time, from the one that is stored, in milliseconds since 1970
 */
export function createStoreClock(
  rule: ClockRule,
  times: Times = systemClock,
): (stored?: number) => number {
  const monotonic = monotonicOf(times);
  let last: readonly [date: number, monotonic: number] | undefined;
  let time = 0;
  return (stored) => {
    const now = [times.now(), monotonic()] as const;
    if (last) time += Math.max(now[1] - last[1], rule === "more" ? now[0] - last[0] : 0);
    else if (stored === undefined || rule === "more") [time] = now;
    last = now;
    return (time = Math.max(time, stored ?? 0));
  };
}
