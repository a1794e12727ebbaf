import { isTryOnError } from "@tryon/client";

import type { End, Task, Workplace } from "./workplace.ts";

/** Makes a try-on that nobody writes down. */
export async function make(place: Workplace, { input, signal, turn }: Task): Promise<End> {
  const { tryon, spending, hold, timeout } = place;
  const reserved = spending?.reserve(input);
  await turn();
  const startedAt = tryon.clock.now();
  let end: End;
  try {
    const result = await tryon.run(input, { hold, timeout, signal });
    end = { result, job: result.job, attempts: result.receipt.attempts };
  } catch (error) {
    end = isTryOnError(error) ? { error, job: error.job, attempts: error.attempts } : { error };
  }
  if (reserved !== undefined) spending?.settle(reserved, costOf(end));
  return { ...end, startedAt };
}

/** What a try-on cost: nothing where it was not made, undefined where that is not known. */
export function costOf({ job, error }: End): number | null | undefined {
  if (job) return job.data.cost_credits;
  return isProof(error) ? 0 : undefined;
}

/** Whether an error proves that a submission did nothing: what may have done something can be recovered from. */
export function isProof(error: unknown): boolean {
  return isTryOnError(error) && error.job === undefined && !("recover" in error);
}
