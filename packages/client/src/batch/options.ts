import type {
  Budget,
  BudgetLimit,
  Duration,
  Job,
  TryOnErrorCode,
  TryOnInput,
  TryOnResult,
} from "@tryon/client";

import type { Journal } from "./journal.ts";
import type { RetryFailed } from "./retry-failed.ts";

/**
 * State of an item that has ended. `not_run`: nothing was sent in this run, since the batch had stopped or the budget was
 * reached. Its error is `batch_stopped` or `budget_exceeded`.
 */
export type BatchItemStatus = "succeeded" | "failed" | "not_run";

/** Fields present on every item of a batch. */
export interface EndedItem<Input> {
  /** Id that the `id` option returned. Without that option, the index as a string. */
  readonly id: string;
  /** Zero-based position in `inputs`. */
  readonly index: number;
  /** The item from `inputs`. */
  readonly input: Input;
  /** If true, an earlier run finished the item and the journal has its outcome. */
  readonly fromJournal: boolean;
  /** Number of jobs of the item, with those of earlier runs. Above 1 only with `retryFailed`, and 0 if it never had one. */
  readonly attempts: number;
}

/** One finished item of a batch, with either a result or an error. See {@link EndedItem} for the common fields. */
export type BatchItem<Input> = EndedItem<Input> &
  (
    | {
        /** Result of the item. Undefined if it failed. */
        readonly result: TryOnResult;
        readonly status: "succeeded";
        /** A `TryOnError`, or the error that `input` or `id` threw. */
        readonly error: undefined;
        /** The job, if the service created one. It may still be running, and it is charged. */
        readonly job: Job;
      }
    | {
        /** Result of the item. Undefined if it failed. */
        readonly result: undefined;
        readonly status: "failed" | "not_run";
        /** A `TryOnError`, or the error that `input` or `id` threw. */
        readonly error: Error;
        /** The job, if the service created one. It may still be running, and it is charged. */
        readonly job: Job | undefined;
      }
  );

/** Progress of a batch. */
export interface BatchProgress {
  /** Number of items that have succeeded or failed, in this run or an earlier one. */
  readonly done: number;
  /** Number of items with a result, in this run or an earlier one. */
  readonly succeeded: number;
  /** Number of items with an error, in this run or an earlier one. */
  readonly failed: number;
  /** Number of items that were read and not run, since the batch had stopped or the budget was reached. */
  readonly notRun: number;
  /** Number of items that have been read and have not ended. */
  readonly inFlight: number;
  /** Number of items, if known. */
  readonly total: number | undefined;
  /** Credits that the items of this run cost, with all attempts, as reported by the service. */
  readonly credits: number;
  /** Items per minute in this run. Undefined until an item of this run has ended. */
  readonly rate: number | undefined;
  /** Estimated time until the batch ends, in whole milliseconds. Undefined while `total` or `rate` is. */
  readonly eta: number | undefined;
}

/** Callback that receives the progress of a batch. */
export type OnProgress = (progress: BatchProgress) => unknown;

/** Options of every batch, whatever its items are. */
export interface CommonOptions {
  /**
   * Maximum number of items in flight. Results that the loop has not read yet count as in flight. `"auto"` starts with 8
   * and increases up to 100 while items succeed. It halves after a 429 or 503. The rate limit of the key also limits
   * how fast items start.
   *
   * @default "auto"
   */
  readonly concurrency?: number | "auto" | undefined;
  /**
   * If true, each submission waits for its result in one request. If false, the client polls the job. `"auto"` waits in
   * one request until a proxy cuts off such a response.
   *
   * @default `wait` of an input, else "auto"
   */
  readonly sync?: boolean | "auto" | undefined;
  /**
   * Maximum number of credits that the batch may spend. An item that does not fit is not run: its error is
   * `budget_exceeded`, nothing is sent for it, and the batch stops.
   *
   * With a journal, the limit holds for all runs together, and in a database for all processes: use the same limit in each.
   * The batch counts the journal's entries before it sends anything. An item with an unknown outcome reserves the price of its size. A failed attempt stays spent.
   * A `Budget` that several runs in one process share counts each item once.
   *
   * @default no limit
   */
  readonly budget?: Budget | BudgetLimit | undefined;
  /**
   * Maximum time for one item, in milliseconds or as a string such as `"3m"`. It starts with the item's first request, and
   * includes retries.
   *
   * @default the client's `timeout`
   */
  readonly timeout?: Duration | undefined;
  /** Signal that aborts the batch: the loop throws the signal's reason. Jobs in flight continue and are charged. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Error codes that stop the batch, since every other item would fail the same way. Use `[]` to stop for none.
   *
   * @default `stoppingCodes`
   */
  readonly stopOn?: readonly TryOnErrorCode[] | undefined;
  /**
   * Number of consecutive items with blocked content that stops the batch, since repeated blocks can suspend the key. Set
   * to `false` to continue.
   *
   * @default 3
   */
  readonly stopAfterContentBlocked?: number | false | undefined;
  /**
   * Policy for items whose job failed, also in an earlier run of the journal. Blocked content is never tried again.
   *
   * @default no other attempt
   */
  readonly retryFailed?: RetryFailed | undefined;
  /** Number of items, if `inputs` has no length. Used for `eta`. */
  readonly total?: number | undefined;
  /** Called whenever an item ends. Errors that it throws are ignored. */
  readonly onProgress?: OnProgress | undefined;
}

/** Function that creates the input of a try-on from an item. */
export type InputOption<Item> = (item: Item, index: number) => TryOnInput | PromiseLike<TryOnInput>;
/** Function that returns the id of an item. */
export type IdOption<Item> = (item: Item, index: number) => string;

/** The `input` option. Required if the items are not inputs themselves. */
export type WithInput<Item> = [Item] extends [TryOnInput]
  ? {
      /** Creates the input of an item shortly before it starts, so that files are opened late. @default the item */
      readonly input?: InputOption<Item> | undefined;
    }
  : {
      /** Creates the input of an item shortly before it starts, so that files are opened late. */
      readonly input: InputOption<Item>;
    };

/** The `journal` and `id` options. A journal requires an id for each item. */
export type WithJournal<Item> =
  | {
      /** Journal of the batch, for a rerun. An item is charged at most once while the service remembers its key. */
      readonly journal: Journal;
      /** Returns the item's id in the journal, such as an article number. It must be unique and the same in each run. */
      readonly id: IdOption<Item>;
    }
  | {
      /** Journal of the batch. Without it, each run submits every item. */
      readonly journal?: undefined;
      /** Returns the item's id. @default the index, as a string */
      readonly id?: IdOption<Item> | undefined;
    };

/** Options of `batch`: {@link CommonOptions}, {@link WithInput | `input`} and {@link WithJournal | `journal` and `id`}. */
export type BatchOptions<Item> = CommonOptions & WithInput<Item> & WithJournal<Item>;

export interface ReadOptions<Item> extends CommonOptions {
  readonly input?: InputOption<Item> | undefined;
  readonly id?: IdOption<Item> | undefined;
  readonly journal?: Journal | undefined;
}

export const batchOptionNames: Readonly<Record<keyof ReadOptions<unknown>, true>> = {
  concurrency: true,
  sync: true,
  budget: true,
  timeout: true,
  signal: true,
  stopOn: true,
  stopAfterContentBlocked: true,
  retryFailed: true,
  total: true,
  onProgress: true,
  input: true,
  id: true,
  journal: true,
};
