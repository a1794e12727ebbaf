/** Number of items that may be in flight, and its recent changes. */
export interface ConcurrencyWindow {
  /** Maximum number of items in flight. Fractions are rounded down. */
  readonly size: number;
  /** If true, the size doubles with each round, until the first 429 or 503. */
  readonly doubling: boolean;
  /** Time when the size was last halved, in milliseconds since 1970. */
  readonly halvedAt: number;
}

/** Maximum number of items in flight with `"auto"`. */
export const maxConcurrency = 100;

/** Window at the start of a batch with `"auto"`. */
export const initialWindow: ConcurrencyWindow = {
  size: 8,
  doubling: true,
  halvedAt: Number.NEGATIVE_INFINITY,
};

/** Signals of one ended item about the load that the service accepts. */
export interface ItemSignals {
  readonly now: number;
  /** If true, as many items were in flight as allowed. Otherwise, the window was not tested. */
  readonly full: boolean;
  /** Time of the last request with a 429 or 503, in milliseconds since 1970. */
  readonly throttledAt?: number | undefined;
  /** If true, the item ended with a transient failure. */
  readonly failed: boolean;
}

/**
 * Returns the window after an item has ended. Each success adds one, and later one per round. A 429 or 503 halves the window
 * once for all requests sent before. Each transient failure halves it, so that few items fail during an outage; after that it
 * can double again.
 */
export function nextWindow(window: ConcurrencyWindow, signals: ItemSignals): ConcurrencyWindow {
  const { size, doubling, halvedAt } = window;
  const { now, full, throttledAt, failed } = signals;
  const halved = Math.max(1, Math.floor(size / 2));
  if (failed) return { size: halved, doubling: true, halvedAt: now };
  if (throttledAt !== undefined) {
    return throttledAt > halvedAt ? { size: halved, doubling: false, halvedAt: now } : window;
  }
  if (!full) return window;
  return { ...window, size: Math.min(maxConcurrency, size + (doubling ? 1 : 1 / size)) };
}
