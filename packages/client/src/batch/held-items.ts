import type { ClientClock } from "../config/clock.ts";
import { Deadline } from "../http/deadline.ts";
import type { BatchJournal } from "./batch-journal.ts";
import { maxPage, type ReadItem } from "./item-reader.ts";
import type { Journal, SharedJournal } from "./journal.ts";

/** Minimum of the number of held items that have not been tried again at which the batch reads no other item. */
const minLimit = 1_000;
/** Minimum of the number of such items at which all held items are tried again at once. */
const minFresh = 16;
/** Maximum time between two attempts to claim the held items, in milliseconds. */
const maxDelay = 5_000;
/** Time between two attempts for each held item, in milliseconds. So a process makes 20 attempts a second at most. */
const delayPerItem = 50;
/** Time between two checks whether the items are to be tried again, in milliseconds. */
const step = 100;

/**
 * Keeps the items that other processes hold, and tries them again.
 *
 * @param signal - If aborted, the items are tried again immediately.
 * @param refusedOf - Returns the claims that the journal would refuse, so that items that are still held are not started.
 * @param retry - Starts the item that `next` returns, once there is room for it.
 */
export function createHeldItems<Item>(
  clock: ClientClock,
  journal: Journal | undefined,
  signal: AbortSignal,
  refusedOf: BatchJournal["refused"],
  retry: (next: () => ReadItem<Item> | undefined) => Promise<void>,
) {
  const items: ReadItem<Item>[] = [];
  /** Number of items that were added since they were all tried. Most have ended if the other processes are fast. */
  let fresh = 0;
  /** Maximum time until the next attempt. It doubles with each attempt until many are fresh. */
  let backoff = step;
  let isRetrying = false;
  // Only a shared journal has this property.
  const { claimTtl = maxDelay } = (journal ?? {}) as Partial<SharedJournal>;

  const isMostlyFresh = (min: number): boolean => fresh >= Math.max(min, items.length - fresh);

  /** Returns true if the items are to be tried again after a time: the more there are, the later, unless many are fresh. */
  const isDue = (waited: number): boolean => {
    const delay = Math.min(maxDelay, claimTtl / 3, backoff, items.length * delayPerItem);
    return waited >= delay || (waited > 0 && isMostlyFresh(minFresh));
  };

  async function retryAll(): Promise<void> {
    isRetrying = true;
    const deadline = new Deadline(clock, Infinity, signal);
    while (items.length > 0) {
      for (let waited = 0; !isDue(waited); waited += step)
        await deadline.sleep(step).catch(() => (waited = Infinity));
      // Items of fast processes end soon after the attempt at which they were held.
      backoff = isMostlyFresh(minFresh) ? step : 2 * backoff;
      fresh = 0;
      for (let left = items.length; left > 0; left -= maxPage) {
        await retryPage(Math.min(left, maxPage));
      }
    }
    deadline.close();
    isRetrying = false;
  }

  async function retryPage(count: number): Promise<void> {
    const ids = items.slice(0, count).map(({ id = "" }) => id);
    // An error has stopped the batch, which then starts the items to end them.
    const claims = await refusedOf?.(ids).catch(() => undefined);
    for (const id of ids) {
      const refused = claims?.get(id);
      if (refused?.state === "held" && !signal.aborted) {
        items.push(...items.splice(0, 1));
        continue;
      }
      await retry(() => {
        const held = items.shift();
        return held && { ...held, refused };
      });
    }
  }

  return {
    get size(): number {
      return items.length;
    },
    /** Items that are still held after an attempt are in flight in other processes, whose number is limited there. */
    get isFull(): boolean {
      return isMostlyFresh(minLimit);
    },
    add(held: ReadItem<Item>): void {
      items.push({ ...held, isRetry: true });
      if (!held.isRetry) fresh += 1;
      if (!isRetrying) void retryAll();
    },
    clear(): void {
      items.length = 0;
      fresh = 0;
    },
  };
}
