import { nextPollDelay } from "./poll-schedule.ts";
import { isHidden } from "./page-visibility.ts";
import type { RunTime } from "./run-times.ts";
import type { PendingWait } from "./pending-wait.ts";

/** The pause after a failure at least, in milliseconds. */
export const failureDelay = 1_000;
/** The pause while nobody sees the page at least, in milliseconds. */
const hiddenPause = 30_000;
/** How long before the end of a wait its last look is, in milliseconds. */
const lastLook = 1_000;

/** The pause before the next look of a wait that has so many milliseconds left, in milliseconds. */
export function pollDelay(
  watch: PendingWait,
  {
    now,
    left,
    runTime,
    random,
  }: { now: number; left: number; runTime: RunTime; random: () => number },
): number {
  const { unseen, looks, since } = watch;
  let pause = unseen && looks === 0 ? 0 : nextPollDelay(now - since, runTime, random);
  if (isHidden()) pause = Math.max(pause, hiddenPause);
  return left > lastLook ? Math.min(pause, left - lastLook) : pause;
}

/** The pause after a failure at least, in milliseconds. */
export function delayAfter({ retryAfter = 0 }: { readonly retryAfter?: number }): number {
  return Math.max(failureDelay, retryAfter * 1_000);
}
