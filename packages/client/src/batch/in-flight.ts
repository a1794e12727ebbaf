/** How many items may be in flight. */
export interface Breadth {
  /** Whole items fit as often as this says, rounded down. */
  readonly size: number;
  /** Whether nothing has gone wrong yet, so that it doubles with each round. */
  readonly doubling: boolean;
  /** When it was last halved, in milliseconds since 1970. */
  readonly halvedAt: number;
}

/** How many items are in flight at first. */
const firstBreadth = 8;
/** How many items `"auto"` ever has in flight. */
export const largestBreadth = 100;

export const atFirst: Breadth = {
  size: firstBreadth,
  doubling: true,
  halvedAt: Number.NEGATIVE_INFINITY,
};

/** How an item ended, as far as that says something about how much the service can take. */
export interface Ending {
  readonly now: number;
  /** Whether as many were in flight as may be: only then has the breadth been tried. */
  readonly full: boolean;
  /** When its last request that was answered with 429 or 503 was sent; absent when there was none. */
  readonly pushedBackAt?: number | undefined;
  /** Whether it ended in a failure of the service or the way there. */
  readonly failed: boolean;
}

/**
 * How many may be in flight after an item has ended: one more each time until something goes wrong, then one more a
 * round. A 429 or 503 halves it, and all that were sent before it was halved count as the same bout. Each item that
 * fails for good halves it, so that few fail where all would; after that it may double again.
 */
export function breadthAfter(breadth: Breadth, ending: Ending): Breadth {
  const { size, doubling, halvedAt } = breadth;
  const { now, full, pushedBackAt, failed } = ending;
  const halved = Math.max(1, Math.floor(size / 2));
  if (failed) return { size: halved, doubling: true, halvedAt: now };
  if (pushedBackAt !== undefined) {
    return pushedBackAt > halvedAt ? { size: halved, doubling: false, halvedAt: now } : breadth;
  }
  if (!full) return breadth;
  return { ...breadth, size: Math.min(largestBreadth, size + (doubling ? 1 : 1 / size)) };
}
