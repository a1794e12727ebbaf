/** Time in which a list may miss a new job, in milliseconds. Jobs are checked again for so long. */
const overlap = 60_000;

/**
 * Decides what one call checks, which events it may pass, and where the next call starts. Times are in milliseconds since
 * 1970. A cursor is never older than half of `memory`, so that the next call has the other half, and never later than `now`.
 */
export function reconcileWindow(since: number, now: number, memory: number) {
  const oldestCursor = now - memory / 2;
  // The clock of the service may be ahead, so that an event is handled before its time, and forgotten earlier.
  const tolerance = memory / 100;
  // After a clock was set back, new jobs can be dated before the last cursor.
  const start = since > now ? oldestCursor : since;
  return {
    start,
    /** Returns true if the receiver still remembers an event of this time in case it has handled it. */
    isRemembered: (time: number): boolean =>
      now - memory + tolerance < time && time <= now + tolerance,
    /**
     * Returns the cursor.
     *
     * @param created - Times at which the checked jobs were created.
     * @param open - Times of those that are to be checked again.
     */
    cursor(created: readonly number[], open: readonly number[]): number {
      const past = created.filter((time) => time <= now);
      // A reducer, since a call has a maximum number of arguments.
      const newest = past.reduce((most, time) => Math.max(most, time), start);
      const oldestOpen = open.reduce((least, time) => Math.min(least, time), newest - overlap);
      return Math.max(start, oldestCursor, oldestOpen);
    },
  };
}
