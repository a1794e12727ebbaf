import type { ClientClock } from "../config/clock.ts";
import { Deadline } from "../http/deadline.ts";
import type { Journal, SharedJournal } from "./journal.ts";

/** Maximum number of items that wait for other processes. At this number, the batch reads no other item. */
const maxHeld = 1_000;
const maxDelay = 5_000;

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

  get isFull(): boolean {
    return this.size >= maxHeld;
  }

  add(held: ReadItem<Item>): void {
    this.#items.push(held);
    if (!this.#isRetrying) void this.#retryAll();
  }

  clear(): void {
    this.#items.length = 0;
  }

  async #retryAll(): Promise<void> {
    this.#isRetrying = true;
    const deadline = new Deadline(this.#clock, Infinity, this.#signal);
    while (this.size > 0) {
      await deadline.sleep(this.#delay).catch(() => undefined);
      for (let left = this.size; left > 0; left -= 1) await this.#retry(() => this.#items.shift());
    }
    deadline.close();
    this.#isRetrying = false;
  }
}
