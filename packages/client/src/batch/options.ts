import type { Budget, BudgetLimit, Duration, TryOnErrorCode, TryOnInput } from "@tryon/client";

import type { Journal } from "./journal.ts";
import type { OnProgress } from "./progress.ts";

/** What a batch takes, whatever its items are. */
export interface CommonOptions {
  /**
   * How many items are in flight at once, at most; results that nobody has read yet count as in flight. `"auto"` begins
   * with 8 and goes up to 100 as long as all goes well, and halves when the service answers 429 or 503. However many are
   * in flight, they are started no faster than the rate limit of the key allows.
   *
   * @default "auto"
   */
  readonly concurrency?: number | "auto" | undefined;
  /**
   * Whether the service is asked to hold each answer until the job has ended, which makes one request of a try-on.
   * `"auto"` does until something on the way cuts such an answer off.
   *
   * @default what an input says with `wait`, else "auto"
   */
  readonly sync?: boolean | "auto" | undefined;
  /**
   * Maximum number of credits that the batch may spend. An item that does not fit fails with `budget_exceeded` before
   * anything is sent, and the batch stops.
   *
   * With a journal, the limit holds for all runs together. The batch counts the journal's entries before it sends
   * anything. An item with an unknown outcome reserves the price of its size. A failed item of an earlier run stays
   * spent. A `Budget` that several runs in one process share counts each item once.
   *
   * @default no limit
   */
  readonly budget?: Budget | BudgetLimit | undefined;
  /**
   * How long one item may take, from its first request to its end, as milliseconds or a text such as `"3m"`. The wait for
   * its turn does not count.
   *
   * @default the client's `timeout`
   */
  readonly timeout?: Duration | undefined;
  /** Ends the batch: it rejects with the signal's reason, and jobs in flight run on. */
  readonly signal?: AbortSignal | undefined;
  /** The codes of errors of one item after which no other is started, since each would meet the same. `[]`: none. @default those in `stoppingCodes` */
  readonly stopOn?: readonly TryOnErrorCode[] | undefined;
  /**
   * After how many refusals of content in a row nothing else is started: repeated ones can suspend the key. False: never.
   *
   * @default 3
   */
  readonly stopAfterContentBlocked?: number | false | undefined;
  /** How many items there are, where `inputs` has no length of its own: for `eta`. */
  readonly total?: number | undefined;
  /** Is told each time an item has ended. What it throws is ignored. */
  readonly onProgress?: OnProgress | undefined;
}

/** How an item becomes the input of a try-on. */
export type InputOption<Item> = (item: Item, index: number) => TryOnInput | PromiseLike<TryOnInput>;
/** What an item is called. */
export type IdOption<Item> = (item: Item, index: number) => string;

/** How items become inputs: items that are inputs need not be made into some. */
export type WithInput<Item> = [Item] extends [TryOnInput]
  ? {
      /** Makes the input of an item when its turn has come, so that files are opened no sooner. @default the item itself */
      readonly input?: InputOption<Item> | undefined;
    }
  : {
      /** Makes the input of an item when its turn has come, so that files are opened no sooner. */
      readonly input: InputOption<Item>;
    };

/** The journal of a batch, which knows items by their ids, and what items are called. */
export type WithJournal<Item> =
  | {
      /** Where the batch writes down what it does, so that it can be run again after a crash without paying twice. */
      readonly journal: Journal;
      /** What an item is called in the journal, such as an article number: the same in each run, and another for each item. */
      readonly id: IdOption<Item>;
    }
  | {
      readonly journal?: undefined;
      /** What an item is called. @default its index, as text */
      readonly id?: IdOption<Item> | undefined;
    };

/** What a batch takes: {@link CommonOptions}, {@link WithInput | how items become inputs} and {@link WithJournal | a journal}. */
export type BatchOptions<Item> = CommonOptions & WithInput<Item> & WithJournal<Item>;

/** The same, as it is read: what the types above require is there. */
export interface ReadOptions<Item> extends CommonOptions {
  readonly input?: InputOption<Item> | undefined;
  readonly id?: IdOption<Item> | undefined;
  readonly journal?: Journal | undefined;
}
