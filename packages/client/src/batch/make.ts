import { isTryOnError } from "@tryon/client";

import type { End, Task, Workplace } from "./workplace.ts";

/** Makes a try-on that nobody writes down. */
export async function make(place: Workplace, { input, signal, turn }: Task): Promise<End> {
  const { tryon, budget, hold, timeout } = place;
  await turn();
  const startedAt = tryon.clock.now();
  let end: End;
  try {
    const result = await tryon.run(input, { budget, hold, timeout, signal });
    end = { result, job: result.job, attempts: result.receipt.attempts };
  } catch (error) {
    end = isTryOnError(error) ? { error, job: error.job, attempts: error.attempts } : { error };
  }
  return { ...end, startedAt };
}

/** Whether an error proves that a submission did nothing: what may have done something can be recovered from. */
export function isProof(error: unknown): boolean {
  return isTryOnError(error) && error.job === undefined && !("recover" in error);
}
