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

export class HeldItems<Item> {
  readonly #clock: ClientClock;
  readonly #signal: AbortSignal;
  readonly #delay: number;
  readonly #refusedOf: BatchJournal["refused"];
  readonly #retry: (next: () => ReadItem<Item> | undefined) => Promise<void>;
  readonly #items: ReadItem<Item>[] = [];
  /** Number of items that were added since they were all tried. Most have ended if the other processes are fast. */
  #fresh = 0;
  /** Maximum time until the next attempt. It doubles with each attempt until many are fresh. */
  #backoff = step;
  #isRetrying = false;

  /**
   * @param signal - If aborted, the items are tried again immediately.
   * @param refusedOf - Returns the claims that the journal would refuse, so that items that are still held are not started.
   * @param retry - Starts the item that `next` returns, once there is room for it.
   */
  constructor(
    clock: ClientClock,
    journal: Journal | undefined,
    signal: AbortSignal,
    refusedOf: BatchJournal["refused"],
    retry: (next: () => ReadItem<Item> | undefined) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#signal = signal;
    this.#refusedOf = refusedOf;
    this.#retry = retry;
    // Only a shared journal has this property.
    const { claimTtl = maxDelay } = (journal ?? {}) as Partial<SharedJournal>;
    this.#delay = Math.min(maxDelay, claimTtl / 3);
  }

  get size(): number {
    return this.#items.length;
  }

  /** Items that are still held after an attempt are in flight in other processes, whose number is limited there. */
  get isFull(): boolean {
    return this.#fresh >= Math.max(minLimit, this.size - this.#fresh);
  }

  add(held: ReadItem<Item>): void {
    this.#items.push({ ...held, isRetry: true });
    if (!held.isRetry) this.#fresh += 1;
    if (!this.#isRetrying) void this.#retryAll();
  }

  clear(): void {
    this.#items.length = 0;
    this.#fresh = 0;
  }

  async #retryAll(): Promise<void> {
    this.#isRetrying = true;
    const deadline = new Deadline(this.#clock, Infinity, this.#signal);
    while (this.size > 0) {
      for (let waited = 0; !this.#isDue(waited); waited += step)
        await deadline.sleep(step).catch(() => (waited = Infinity));
      // Items of fast processes end soon after the attempt at which they were held.
      this.#backoff = this.#isMostlyFresh ? step : 2 * this.#backoff;
      this.#fresh = 0;
      for (let left = this.size; left > 0; left -= maxPage) {
        await this.#retryPage(Math.min(left, maxPage));
      }
    }
    deadline.close();
    this.#isRetrying = false;
  }

  /** Tries the first items again. */
  async #retryPage(count: number): Promise<void> {
    const ids = this.#items.slice(0, count).map(({ id = "" }) => id);
    // An error has stopped the batch, which then starts the items to end them.
    const claims = await this.#refusedOf?.(ids).catch(() => undefined);
    for (const id of ids) {
      const refused = claims?.get(id);
      if (refused?.state === "held" && !this.#signal.aborted) {
        this.#items.push(...this.#items.splice(0, 1));
        continue;
      }
      await this.#retry(() => {
        const held = this.#items.shift();
        return held && { ...held, refused };
      });
    }
  }

  get #isMostlyFresh(): boolean {
    return this.#fresh >= Math.max(minFresh, this.size - this.#fresh);
  }

  /** Returns true if the items are to be tried again after a time: the more there are, the later, unless many are fresh. */
  #isDue(waited: number): boolean {
    const delay = Math.min(this.#delay, this.#backoff, this.size * delayPerItem);
    return waited >= delay || (waited > 0 && this.#isMostlyFresh);
  }
}
