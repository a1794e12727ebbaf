import type { JobHandle } from "./job-handle.ts";
import type { CallOptions } from "../types/call-options.ts";
import type { Job, TryOnResult } from "../types/job.ts";
import { isBranded, type TryOnError } from "../errors/tryon-error.ts";
import type { Config } from "../config/resolve-config.ts";
import type { Deadline } from "../http/deadline.ts";
import { notifier } from "./updates.ts";

/** Outcome of the wait for one of several jobs. */
export type WaitOutcome = { readonly id: string; readonly job: Job } & (
  | { readonly result: TryOnResult; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: TryOnError }
);

/** Options of `waitAll`. `timeout` applies to all waits together. */
export interface WaitAllOptions extends CallOptions {
  /**
   * Called with each outcome, as the jobs end. Errors it throws are ignored and go to the client's `logger`.
   *
   * @default none
   */
  readonly onSettled?: ((outcome: WaitOutcome) => unknown) | undefined;
}

/** Waits for jobs within one deadline, for each id once. */
export async function waitAll(
  config: Config,
  jobs: readonly JobHandle[],
  deadline: Deadline,
  options: WaitAllOptions,
): Promise<WaitOutcome[]> {
  const tell = notifier(config, options.onSettled, "onSettled");
  const wait = async (job: JobHandle): Promise<WaitOutcome> => {
    const { id } = job;
    let outcome: WaitOutcome;
    try {
      outcome = { id, job, result: await job.finish(deadline) };
    } catch (error) {
      deadline.throwIfAborted();
      // What middleware throws stops the whole call, as it does everywhere.
      if (!isBranded(error)) throw error;
      outcome = { id, job, error };
    }
    tell(outcome);
    return outcome;
  };
  deadline.throwIfAborted();
  const waits = new Map<string, Promise<WaitOutcome>>();
  for (const job of jobs) if (!waits.has(job.id)) waits.set(job.id, wait(job));
  // Also when one of them throws what is no outcome, none is left waiting.
  await Promise.allSettled(waits.values());
  const outcomes = new Map<string, WaitOutcome>();
  for (const outcome of await Promise.all(waits.values())) outcomes.set(outcome.id, outcome);
  return jobs.flatMap(({ id }) => outcomes.get(id) ?? []);
}
