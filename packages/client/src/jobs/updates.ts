import type { Config } from "../config/resolve-config.ts";
import type { Job } from "./job.ts";

/** Progress update of a call. */
export type Update =
  /** Before the submission is sent for the first time. */
  | { readonly phase: "sending"; readonly idempotencyKey: string }
  /** After a transient failure: the request is retried after `delay` milliseconds. */
  | { readonly phase: "retrying"; readonly idempotencyKey: string; readonly delay: number }
  /** The job has not ended: after the submission, and after each poll. */
  | { readonly phase: "waiting"; readonly job: Job }
  /** The job has ended. */
  | { readonly phase: "succeeded" | "failed"; readonly job: Job };

/** Reports an update. Errors of the callback do not end the call. */
export type Notify = (update: Update) => void;

/** Callback for progress updates. */
export type OnUpdate = (update: Update) => unknown;

/** Wraps a callback: what it throws goes to the logger, once per call. */
export function notifier<Told = Update>(
  config: Config,
  callback: ((told: Told) => unknown) | undefined,
  name = "onUpdate",
): (told: Told) => void {
  let threw = false;
  const report = (error: unknown): void => {
    if (!threw) config.log("warn", `${name} threw, which was ignored.`, error);
    threw = true;
  };
  return (told) => {
    if (callback === undefined) return;
    try {
      Promise.resolve(callback(told)).catch(report);
    } catch (error) {
      report(error);
    }
  };
}
