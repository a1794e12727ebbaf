import { isTryOnError, type Job, type Update } from "@tryon/client";

import type { ItemOutcome, ItemTask, BatchContext } from "./batch-context.ts";

/** Runs the try-on of an item without a journal. */
export async function runItem(
  context: BatchContext,
  { input, signal, turn }: ItemTask,
): Promise<ItemOutcome> {
  const { tryon, budget, sync, timeout } = context;
  await turn();
  const startedAt = tryon.clock.now();
  let end: ItemOutcome;
  let job: Job | undefined;
  const onUpdate = (update: Update): void => {
    if ("job" in update) job = update.job;
  };
  try {
    const result = await tryon.run(input, { budget, sync, timeout, signal, onUpdate });
    end = { result, job: result.job, attempts: result.receipt.attempts };
  } catch (error) {
    // A middleware can throw any value during a poll.
    end = isTryOnError(error)
      ? { error, job: error.job ?? job, attempts: error.attempts }
      : { error, job };
  }
  return { ...end, startedAt };
}

/** Returns true if an error proves that the submission created no job. Errors with an unknown outcome have `recover`. */
export function provesNoJob(error: unknown): boolean {
  return isTryOnError(error) && error.job === undefined && !("recover" in error);
}
