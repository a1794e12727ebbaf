import type { JobRecord } from "./job-record.ts";
import type { CallOptions } from "../types/call-options.ts";
import type { Job, TryOnResult } from "../types/job.ts";
import { isBranded, type TryOnError } from "../errors/tryon-error.ts";
import type { ClientContext } from "./client-context.ts";
import { callOptionNames, type Deadline } from "../http/deadline.ts";
import { notifier } from "./notifier.ts";

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

/** Names of the options of `waitAll`. */
export const waitAllOptionNames: Readonly<Record<keyof WaitAllOptions, true>> = {
  ...callOptionNames,
  onSettled: true,
};

/** Waits for jobs within one deadline, for each id once. */
export async function waitAll(
  context: ClientContext,
  records: readonly JobRecord[],
  deadline: Deadline,
  options: WaitAllOptions,
): Promise<WaitOutcome[]> {
  const notify = notifier(context.config, options.onSettled, "onSettled");
  const wait = async (record: JobRecord): Promise<WaitOutcome> => {
    const { id } = record;
    record.useContext(context);
    let outcome: WaitOutcome;
    try {
      outcome = { id, job: record, result: await record.finish(deadline, () => undefined) };
    } catch (error) {
      deadline.throwIfAborted();
      // Errors of middleware end every call.
      if (!isBranded(error)) throw error;
      outcome = { id, job: record, error };
    }
    notify(outcome);
    return outcome;
  };
  deadline.throwIfAborted();
  const waits = new Map<string, Promise<WaitOutcome>>();
  const outcomes = records.map((record) => {
    const outcome = waits.get(record.id) ?? wait(record);
    waits.set(record.id, outcome);
    return outcome;
  });
  // All waits end before the error of a middleware rejects the call.
  await Promise.allSettled(outcomes);
  return Promise.all(outcomes);
}
