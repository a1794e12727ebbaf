/** Reads items one by one, and closes what they come from. */
export class Source<Item> {
  readonly #items: AsyncIterator<Item> | Iterator<Item>;
  #isOpen = true;
  #isReading = false;

  constructor(items: Iterable<Item> | AsyncIterable<Item>) {
    this.#items =
      Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  }

  /** The next item; undefined at the end. Throws what the source throws. */
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

  /** Tells a source that has not ended that nobody reads on. What goes wrong with that concerns nobody. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const close = async (): Promise<unknown> => this.#items.return?.();
    const closing = close().catch(() => undefined);
    // A source that is asked for an item closes only once it has given it, which may be never.
    if (!this.#isReading) await closing;
  }
}

/** How many items there are, where the source says so beforehand. */
export function lengthOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : undefined;
}
