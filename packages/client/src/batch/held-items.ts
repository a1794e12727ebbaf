import type { ClientClock } from "../config/clock.ts";
import { Deadline } from "../http/deadline.ts";
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

export interface ReadItem<Item> {
  readonly item: Item;
  readonly index: number;
  readonly id?: string;
}

export class HeldItems<Item> {
  readonly #clock: ClientClock;
  readonly #signal: AbortSignal;
  readonly #delay: number;
  readonly #retry: (next: () => ReadItem<Item> | undefined) => Promise<void>;
  readonly #items: ReadItem<Item>[] = [];
  /** Number of items that were added since they were all tried. Most have ended if the other processes are fast. */
  #fresh = 0;
  /** Maximum time until the next attempt. It doubles with each attempt until many are fresh. */
  #backoff = step;
  #isRetrying = false;

  /**
   * @param signal - If aborted, the items are tried again immediately.
   * @param retry - Starts the item that `next` returns, once there is room for it.
   */
  constructor(
    clock: ClientClock,
    journal: Journal | undefined,
    signal: AbortSignal,
    retry: (next: () => ReadItem<Item> | undefined) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#signal = signal;
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

  /** @param isRetry - If true, the item was held before. */
  add(held: ReadItem<Item>, isRetry: boolean): void {
    this.#items.push(held);
    if (!isRetry) this.#fresh += 1;
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
      for (let left = this.size; left > 0; left -= 1) await this.#retry(() => this.#items.shift());
    }
    deadline.close();
    this.#isRetrying = false;
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
