import type { Config } from "../config/resolve-config.ts";
import type { Update } from "../types/job.ts";

/** Reports an update. */
export type Notify = (update: Update) => void;

/** Wraps a callback. Its errors do not end the call, and the first one goes to the logger. */
export function notifier<Value = Update>(
  config: Config,
  callback: ((value: Value) => unknown) | undefined,
  name = "onUpdate",
): (value: Value) => void {
  let threw = false;
  return (value) => {
    new Promise((resolve) => resolve(callback?.(value))).catch((error: unknown) => {
      if (!threw) config.log("warn", `${name} threw, which was ignored.`, error);
      threw = true;
    });
  };
}
