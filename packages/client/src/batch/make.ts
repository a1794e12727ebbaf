import { isTryOnError, type Job, type Update } from "@tryon/client";

import type { End, Task, Workplace } from "./workplace.ts";

/** Makes a try-on that nobody writes down. */
export async function make(place: Workplace, { input, signal, turn }: Task): Promise<End> {
  const { tryon, budget, sync, timeout } = place;
  await turn();
  const startedAt = tryon.clock.now();
  let end: End;
  let job: Job | undefined;
  const onUpdate = (update: Update): void => {
    if ("job" in update) job = update.job;
  };
  try {
    const result = await tryon.run(input, { budget, sync, timeout, signal, onUpdate });
    end = { result, job: result.job, attempts: result.receipt.attempts };
  } catch (error) {
    // What a middleware throws while a job is waited for is handed on as it is.
    end = isTryOnError(error)
      ? { error, job: error.job ?? job, attempts: error.attempts }
      : { error, job };
  }
  return { ...end, startedAt };
}

/** Whether an error proves that a submission did nothing: what may have done something can be recovered from. */
export function isProof(error: unknown): boolean {
  return isTryOnError(error) && error.job === undefined && !("recover" in error);
}
