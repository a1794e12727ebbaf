import type { Config } from "../config/resolve-config.ts";
import type { Update } from "../types/job.ts";

/** Reports an update. Errors of the callback do not end the call. */
export type Notify = (update: Update) => void;

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
