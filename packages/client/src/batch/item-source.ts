import { InputError, type TryOnInput } from "@tryon/client";

import type { ReadOptions } from "./options.ts";

/** Reads items one by one, with their ids and inputs, and closes their iterator. */
export class ItemSource<Item> {
  /** Number of items, if known. */
  readonly total: number | undefined;
  readonly #options: ReadOptions<Item>;
  readonly #items: AsyncIterator<Item> | Iterator<Item>;
  /** Ids in a batch with a journal, where they must be unique. */
  readonly #ids = new Set<string>();
  #isOpen = true;
  #isReading = false;

  constructor(inputs: Iterable<Item> | AsyncIterable<Item>, options: ReadOptions<Item>) {
    this.#options = options;
    this.total = options.total ?? lengthOf(inputs);
    this.#items =
      Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
  }

  /** Returns the next item, or undefined at the end. Rethrows errors of the iterator. */
  async next(): Promise<{ readonly item: Item } | undefined> {
    this.#isReading = true;
    try {
      const next = await this.#items.next();
      if (next.done !== true) return { item: next.value };
      this.#isOpen = false;
      return undefined;
    } catch (error) {
      this.#isOpen = false;
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  /** Closes the iterator if it has not ended. Ignores its errors. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const close = async (): Promise<unknown> => this.#items.return?.();
    const closing = close().catch(() => undefined);
    // A generator closes only after the pending item, which may never come.
    if (!this.#isReading) await closing;
  }

  /** Returns the id of an item. Rejects an empty id, and a duplicate in a batch with a journal. */
  async idOf(item: Item, index: number): Promise<string> {
    const { id: idOf, journal } = this.#options;
    if (!idOf) return String(index);
    const id: unknown = idOf(item, index);
    if (typeof id !== "string" || id === "") {
      throw new InputError("id", `of the item at index ${index} must be a non-empty string`, {
        hint: "Nothing was sent. Return an id for each item.",
      });
    }
    if (this.#ids.has(id)) {
      const problem = `${JSON.stringify(id)} of the item at index ${index} is a duplicate`;
      throw new InputError("id", problem, {
        hint: "Nothing was sent. In a batch with a journal, each item needs a unique id.",
      });
    }
    if (journal) this.#ids.add(id);
    return id;
  }

  /** Creates the input of an item. */
  async inputOf(item: Item, index: number): Promise<TryOnInput> {
    const { input } = this.#options;
    // The types require `input` if the items are not inputs.
    return input ? input(item, index) : (item as TryOnInput);
  }
}

/** Returns the number of items in an array, set or map. */
function lengthOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : undefined;
}
