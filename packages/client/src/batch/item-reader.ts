import { nextTurn } from "@tryon/shared/stores/group-calls";

import { abortable } from "../http/deadline.ts";
import type { BatchJournal } from "./batch-journal.ts";
import type { ItemClaim } from "./journal.ts";

/** Maximum number of items that are read ahead and looked up together. */
export const maxPage = 500;
/** Number of refused claims in a row after which items are read in pages, so that a few held items delay no other one. */
const minRefused = 4;
/** Number of items in the first page. */
const firstPage = 16;

export interface ReadItem<Item> {
  readonly item: Item;
  readonly index: number;
  readonly id?: string | undefined;
  /** Claim that the journal has refused. */
  readonly refused?: ItemClaim | undefined;
  /** If true, the item was held before. */
  readonly isRetry?: boolean;
}

/**
 * Reads the items of a batch one by one. While most have ended or are held, it reads ahead in pages, and looks up a page at
 * once.
 */
export class ItemReader<Item> {
  readonly #items: AsyncIterator<Item> | Iterator<Item>;
  readonly #signal: AbortSignal;
  readonly #refusedOf: BatchJournal["refused"];
  readonly #idOf: (item: Item, index: number) => string;
  readonly #page: ReadItem<Item>[] = [];
  #pageSize = 1;
  #refused = 0;
  #count = 0;
  #pending: Promise<IteratorResult<Item>> | undefined;
  #hasEnded = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    inputs: Iterable<Item> | AsyncIterable<Item>,
    signal: AbortSignal,
    refusedOf: BatchJournal["refused"],
    idOf: (item: Item, index: number) => string,
  ) {
    this.#items =
      Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
    this.#signal = signal;
    this.#refusedOf = refusedOf;
    this.#idOf = idOf;
  }

  /** Takes an item that has been read. */
  shift(): ReadItem<Item> | undefined {
    return this.#page.shift();
  }

  /** Returns the next item, or undefined at the end. Throws the error of the items, or the reason of the signal. */
  async next(): Promise<ReadItem<Item> | undefined> {
    if (this.#page.length === 0 && !this.#hasEnded) await this.#readPage();
    const next = this.#page.shift();
    if (next === undefined && this.#failure) throw this.#failure.error;
    return next;
  }

  /** Reports whether a claim was refused: the next items may be alike. */
  opened(isRefused: boolean): void {
    this.#refused = isRefused ? this.#refused + 1 : 0;
    if (this.#refusedOf && this.#refused >= minRefused) {
      this.#pageSize = Math.max(this.#pageSize, firstPage);
    }
  }

  async close(): Promise<void> {
    if (this.#hasEnded) return;
    const closing = (async () => this.#items.return?.())().catch(() => undefined);
    // A generator closes only after the pending item, which may never come.
    if (!this.#pending) await closing;
  }

  /** Reads the items that are ready, at least one. */
  async #readPage(): Promise<void> {
    const size = this.#pageSize;
    const turn = size > 1 ? nextTurn() : undefined;
    while (this.#page.length < size) {
      const reading = (this.#pending ??= (async () => this.#items.next())());
      try {
        const isFirst = this.#page.length === 0;
        const next = await abortable(
          isFirst ? reading : Promise.race([reading, turn]),
          this.#signal,
        );
        if (next === undefined) break;
        this.#pending = undefined;
        this.#hasEnded = next.done === true;
        if (next.done) break;
        this.#page.push(this.#read(next.value));
      } catch (error) {
        if (this.#signal.aborted) throw error;
        this.#pending = undefined;
        this.#hasEnded = true;
        this.#failure = { error };
        break;
      }
    }
    // Without a turn of the event loop, a journal that is read at once would block the program.
    await turn;
    if (turn && this.#page.length > 0) await this.#lookUp();
  }

  async #lookUp(): Promise<void> {
    const ids = this.#page.flatMap(({ id }) => id ?? []);
    const refused = await this.#refusedOf?.(ids);
    if (!refused) return;
    for (const [index, read] of this.#page.entries()) {
      this.#page[index] = { ...read, refused: refused.get(read.id ?? "") };
    }
    const isMost = 2 * refused.size >= this.#page.length;
    this.#pageSize = isMost ? Math.min(maxPage, 4 * this.#pageSize) : 1;
  }

  #read(item: Item): ReadItem<Item> {
    const index = this.#count;
    this.#count += 1;
    if (this.#pageSize === 1) return { item, index };
    try {
      return { item, index, id: this.#idOf(item, index) };
    } catch {
      // The item fails with this error when it starts.
      return { item, index };
    }
  }
}
