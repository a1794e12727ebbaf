import type { Attempt, Budget, Duration, Job, TryOn, TryOnInput, TryOnResult } from "@tryon/client";

/** Settings that the items of a batch share. */
export interface BatchContext {
  readonly tryon: TryOn;
  readonly budget: Budget | undefined;
  readonly sync: boolean | "auto" | undefined;
  readonly timeout: Duration | undefined;
}

/** One item that has been read. */
export interface ItemTask {
  readonly id: string;
  readonly input: TryOnInput;
  /** Aborted when the batch no longer waits for the item. */
  readonly signal: AbortSignal;
  /** Waits until the item may send its first request. */
  readonly turn: () => Promise<void>;
}

/** Outcome of an item. */
export interface ItemOutcome {
  readonly result?: TryOnResult | undefined;
  /** Thrown value. Set if `result` is not. */
  readonly error?: unknown;
  readonly job?: Job | undefined;
  /** If true, an earlier run finished the item. */
  readonly fromJournal?: boolean;
  /** Time before this run's first request for the item, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** Attempts of the submission. */
  readonly attempts?: readonly Attempt[];
}
