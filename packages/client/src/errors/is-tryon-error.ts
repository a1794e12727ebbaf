import type { BudgetError, ConfigError, InputError } from "./refusal-errors.ts";
import type {
  ApiError,
  BatchStoppedError,
  ConnectionError,
  JobFailedError,
  OutcomeUnknownError,
  ResultError,
  WaitTimeoutError,
} from "./request-errors.ts";
import {
  isBranded,
  type ApiErrorCode,
  type TryOnError,
  type TryOnErrorCode,
} from "./tryon-error.ts";

/** Class of the errors with a code. */
export type ErrorWithCode<Code extends TryOnErrorCode> = (Code extends ApiErrorCode
  ? ApiError & (Code extends "rate_limited" ? unknown : { readonly status: number })
  : Code extends ConfigError["code"]
    ? ConfigError
    : Code extends ConnectionError["code"]
      ? ConnectionError
      : Code extends ResultError["code"]
        ? ResultError
        : Code extends "invalid_input"
          ? InputError
          : Code extends "budget_exceeded"
            ? BudgetError
            : Code extends "job_failed"
              ? JobFailedError
              : Code extends "wait_timed_out"
                ? WaitTimeoutError
                : Code extends "batch_stopped"
                  ? BatchStoppedError
                  : OutcomeUnknownError) & { readonly code: Code };

/**
 * Returns true for an error of this package, and with codes only for an error with one of them. Works where `instanceof`
 * fails: when an ESM and a CJS copy of the package are loaded side by side.
 *
 * @param error - Any caught value.
 * @example
 * import { isTryOnError } from "@tryon/client";
 *
 * try {
 *   await tryon.run(input);
 * } catch (error) {
 *   if (isTryOnError(error, "wait_timed_out")) await queue.add(error.job.id);
 *   else if (isTryOnError(error, "server_error", "unavailable")) await error.recover?.();
 *   else throw error;
 * }
 */
export function isTryOnError(error: unknown): error is TryOnError;
/**
 * Returns true for an error of this package with one of these codes, which has the fields of its class.
 *
 * @param codes - Expected codes.
 */
export function isTryOnError<Code extends TryOnErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is ErrorWithCode<Code>;
export function isTryOnError(error: unknown, ...codes: readonly TryOnErrorCode[]): boolean {
  return isBranded(error) && (codes.length === 0 || codes.includes(error.code));
}
