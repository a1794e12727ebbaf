import { isTryOnError, type AnyTryOnError } from "../errors/is-tryon-error.ts";
import type { Deadline } from "../http/deadline.ts";
import { readPollInterval } from "../config/resolve-config.ts";
import type { Job, PollOptions, SavedJob, TryOnResult } from "../types/job.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import { JobRecord, notifier, restoreJob } from "./job-record.ts";
import { pollOptionNames } from "./run-options.ts";

/** Outcome of the wait for one of several jobs. */
export type WaitOutcome = {
  /** Id of the job, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
  readonly id: string;
  /** Job that was waited for. It may still run. */
  readonly job: Job;
} & (
  | {
      /** Result of the job. Undefined with an error. */
      readonly result: TryOnResult;
      /** Error that `job.result()` throws. Undefined with a result. */
      readonly error?: undefined;
    }
  | {
      /** Result of the job. Undefined with an error. */
      readonly result?: undefined;
      /** Error that `job.result()` throws. Undefined with a result. */
      readonly error: AnyTryOnError;
    }
);

/** Options of `waitAll`. `timeout` applies to all waits together. */
export interface WaitAllOptions extends PollOptions {
  /**
   * Called with each outcome, as the jobs end. Errors it throws are ignored and go to the client's `logger`.
   *
   * @default none
   */
  readonly onSettled?: ((outcome: WaitOutcome) => unknown) | undefined;
}

const waitAllOptionNames: Readonly<Record<keyof WaitAllOptions, true>> = {
  ...pollOptionNames,
  onSettled: true,
};

export async function waitForAll(
  contexts: ClientContexts,
  jobs: readonly (string | SavedJob | Job)[],
  options: WaitAllOptions,
): Promise<WaitOutcome[]> {
  const records = jobs.map((job, index) =>
    job instanceof JobRecord ? job : restoreJob(contexts, job, `jobs.${index}`),
  );
  const interval = readPollInterval(options, contexts.config);
  const wait = async (context: ClientContext, deadline: Deadline): Promise<WaitOutcome[]> => {
    const notify = notifier(context.config, options.onSettled, "onSettled");
    const outcomes = records.map((record) => waitFor(record, context, deadline, interval, notify));
    // All waits end before the error of a middleware rejects the call.
    await Promise.allSettled(outcomes);
    return Promise.all(outcomes);
  };
  return contexts.within(options, undefined, wait, waitAllOptionNames);
}

async function waitFor(
  job: JobRecord,
  context: ClientContext,
  deadline: Deadline,
  interval: number | undefined,
  notify: (outcome: WaitOutcome) => void,
): Promise<WaitOutcome> {
  const { id } = job;
  let outcome: WaitOutcome;
  try {
    outcome = { id, job, result: await job.finish(deadline, interval, undefined, context) };
  } catch (error) {
    deadline.throwIfAborted();
    // Errors of middleware end every call.
    if (!isTryOnError(error)) throw error;
    outcome = { id, job, error };
  }
  notify(outcome);
  return outcome;
}
