import type { Config } from "../config/resolve-config.ts";
import type { Job } from "./job.ts";

/** What `onUpdate` is told while a call goes on. */
export type Update =
  /** The submission is about to be sent for the first time, under this key. */
  | { readonly phase: "sending"; readonly idempotencyKey: string }
  /** A request failed in a way that may pass, and is sent again after `delay` milliseconds. */
  | { readonly phase: "retrying"; readonly idempotencyKey: string; readonly delay: number }
  /** The job is known and has not ended; told again after each look at it. */
  | { readonly phase: "waiting"; readonly job: Job }
  /** The job has ended. */
  | { readonly phase: "succeeded" | "failed"; readonly job: Job };

/** Tells an update; nothing that happens there can end the call. */
export type Notify = (update: Update) => void;

/** What takes updates from a call. */
export type OnUpdate = (update: Update) => unknown;

/** Calls back, and hands what the callback throws to the logger, once for each call. */
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
