import { isTryOnError } from "./is-tryon-error.ts";
import { BudgetError, ConfigError, InputError } from "./refusal-errors.ts";
import {
  ApiError,
  BatchStoppedError,
  ConnectionError,
  JobFailedError,
  OutcomeUnknownError,
  ResultError,
  WaitTimeoutError,
} from "./request-errors.ts";
import { responseHints } from "./hints.ts";
import { TryOnError, type ApiErrorCode, type TryOnErrorCode } from "./tryon-error.ts";

/** Makes `instanceof` find errors of every copy of this package: an app that imports and requires it has two. */
export function shareClasses(): void {
  // The names of the properties.
  const apiErrorCodes = Object.keys(responseHints) as ApiErrorCode[];
  const classes: readonly (readonly [object, ...TryOnErrorCode[]])[] = [
    [TryOnError],
    [ApiError, ...apiErrorCodes],
    [BatchStoppedError, "batch_stopped"],
    [BudgetError, "budget_exceeded"],
    [ConfigError, "invalid_config", "unsafe_environment"],
    [ConnectionError, "connection_failed", "timed_out", "redirected", "unexpected_response"],
    [InputError, "invalid_input"],
    [JobFailedError, "job_failed"],
    [OutcomeUnknownError, "outcome_unknown"],
    [ResultError, "result_expired", "result_purged"],
    [WaitTimeoutError, "wait_timed_out"],
  ];
  for (const [Class, ...codes] of classes) {
    const value = function (this: unknown, error: unknown): boolean {
      // A subclass of an app inherits this function.
      if (this !== Class)
        return Function.prototype[Symbol.hasInstance].call(this as Function, error);
      return isTryOnError(error, ...codes);
    };
    Object.defineProperty(Class, Symbol.hasInstance, { value });
  }
}
