import { nextTurn } from "@tryon/shared/stores/group-calls";

import { abortable } from "../http/deadline.ts";
import type { BatchJournal } from "./batch-journal.ts";
import type { ItemClaim } from "./journal.ts";

/** Maximum number of items that are read ahead and looked up together. */
export const maxPage = 500;
/** Number of refused claims in a row after which items are read in pages, so that a few held items delay no other one. */
const minRefused = 4;
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
export function createItemReader<Item>(
  inputs: Iterable<Item> | AsyncIterable<Item>,
  signal: AbortSignal,
  refusedOf: BatchJournal["refused"],
  idOf: (item: Item, index: number) => string,
) {
  const items: AsyncIterator<Item> | Iterator<Item> =
    Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
  const page: ReadItem<Item>[] = [];
  let pageSize = 1;
  let refusedCount = 0;
  let count = 0;
  let pending: Promise<IteratorResult<Item>> | undefined;
  let hasEnded = false;
  let failure: { readonly error: unknown } | undefined;

  /** Reads the items that are ready, at least one. */
  async function readPage(): Promise<void> {
    const size = pageSize;
    const turn = size > 1 ? nextTurn() : undefined;
    while (page.length < size) {
      const reading = (pending ??= (async () => items.next())());
      try {
        const isFirst = page.length === 0;
        const next = await abortable(isFirst ? reading : Promise.race([reading, turn]), signal);
        if (next === undefined) break;
        pending = undefined;
        hasEnded = next.done === true;
        if (next.done) break;
        page.push(read(next.value));
      } catch (error) {
        if (signal.aborted) throw error;
        pending = undefined;
        hasEnded = true;
        failure = { error };
        break;
      }
    }
    // Without a turn of the event loop, a journal that is read at once would block the program.
    await turn;
    if (turn && page.length > 0) await lookUp();
  }

  async function lookUp(): Promise<void> {
    const refused = await refusedOf?.(page.flatMap(({ id }) => id ?? []));
    if (!refused) return;
    for (const [index, one] of page.entries()) {
      page[index] = { ...one, refused: refused.get(one.id ?? "") };
    }
    const isMost = 2 * refused.size >= page.length;
    pageSize = isMost ? Math.min(maxPage, 4 * pageSize) : 1;
  }

  function read(item: Item): ReadItem<Item> {
    const index = count;
    count += 1;
    if (pageSize === 1) return { item, index };
    try {
      return { item, index, id: idOf(item, index) };
    } catch {
      // The item fails with this error when it starts.
      return { item, index };
    }
  }

  return {
    shift: (): ReadItem<Item> | undefined => page.shift(),

    /** Returns the next item, or undefined at the end. Throws the error of the items, or the reason of the signal. */
    async next(): Promise<ReadItem<Item> | undefined> {
      if (page.length === 0 && !hasEnded) await readPage();
      const next = page.shift();
      if (next === undefined && failure) throw failure.error;
      return next;
    },

    /** Reports whether a claim was refused: the next items may be alike. */
    opened(isRefused: boolean): void {
      refusedCount = isRefused ? refusedCount + 1 : 0;
      if (refusedOf && refusedCount >= minRefused) pageSize = Math.max(pageSize, firstPage);
    },

    async close(): Promise<void> {
      if (hasEnded) return;
      const closing = (async () => items.return?.())().catch(() => undefined);
      // A generator closes only after the pending item, which may never come.
      if (!pending) await closing;
    },
  };
}
