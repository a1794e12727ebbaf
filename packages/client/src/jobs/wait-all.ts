import { finish } from "./finish.ts";
import type { JobRecord } from "./job-record.ts";
import type { CallOptions } from "../types/call-options.ts";
import type { Job, TryOnResult } from "../types/job.ts";
import { isBranded, type TryOnError } from "../errors/tryon-error.ts";
import type { ClientContext } from "./client-context.ts";
import { callOptionNames, type Deadline } from "../http/deadline.ts";
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
  const tell = notifier(context.config, options.onSettled, "onSettled");
  const wait = async (record: JobRecord): Promise<WaitOutcome> => {
    const { id, job } = record;
    record.useContext(context);
    let outcome: WaitOutcome;
    try {
      outcome = { id, job, result: await finish(record, deadline, () => undefined) };
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
  for (const record of records) {
    if (!waits.has(record.id)) waits.set(record.id, wait(record));
  }
  // Also when one of them throws what is no outcome, none is left waiting.
  await Promise.allSettled(waits.values());
  const outcomes = new Map<string, WaitOutcome>();
  for (const outcome of await Promise.all(waits.values())) outcomes.set(outcome.id, outcome);
  return records.flatMap(({ id }) => outcomes.get(id) ?? []);
}
