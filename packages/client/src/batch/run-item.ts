import {
  Budget,
  isTryOnError,
  type Attempt,
  type Duration,
  type Job,
  type TryOn,
  type TryOnInput,
  type TryOnResult,
  type Update,
} from "@tryon/client";

import type { CommonOptions } from "./options.ts";

/** Settings that the items of a batch share. */
export interface BatchContext {
  readonly tryon: TryOn;
  readonly budget: Budget | undefined;
  readonly sync: boolean | "auto" | undefined;
  readonly timeout: Duration | undefined;
}

/** Returns the settings of a batch. */
export function contextOf(tryon: TryOn, options: CommonOptions): BatchContext {
  const { budget, sync, timeout } = options;
  // A `Budget` of another copy of the package also has `count`.
  const isBudget = budget && "count" in Object(budget);
  const shared = isBudget ? (budget as Budget) : budget && new Budget(budget);
  return { tryon, budget: shared, sync, timeout };
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
  readonly startedAt?: number | undefined;
  /** Attempts of the submission. */
  readonly attempts?: readonly Attempt[];
}

/** Runs the try-on of an item without a journal. */
export async function runItem(
  { tryon, budget, sync, timeout }: BatchContext,
  { input, signal, turn }: ItemTask,
): Promise<ItemOutcome> {
  await turn();
  const startedAt = tryon.clock.now();
  let job: Job | undefined;
  const onUpdate = (update: Update): void => {
    if ("job" in update) job = update.job;
  };
  try {
    const result = await tryon.run(input, { budget, sync, timeout, signal, onUpdate });
    return { startedAt, result, job: result.job, attempts: result.receipt.attempts };
  } catch (error) {
    // A middleware can throw any value during a poll.
    return isTryOnError(error)
      ? { startedAt, error, job: error.job ?? job, attempts: error.attempts }
      : { startedAt, error, job };
  }
}
