/** Reads items one by one, and closes their iterator. */
export class ItemSource<Item> {
  readonly #items: AsyncIterator<Item> | Iterator<Item>;
  #isOpen = true;
  #isReading = false;

  constructor(items: Iterable<Item> | AsyncIterable<Item>) {
    this.#items =
      Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
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
}

/** Returns the number of items in an array, set or map. */
export function lengthOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : undefined;
}
