import type { BatchStoppedError } from "./batch-stopped-error.ts";
import type { ApiError } from "./api-error.ts";
import type { BudgetError } from "./budget-error.ts";
import type { ApiErrorCode, TryOnErrorCode } from "./code.ts";
import type { ConfigError } from "./config-error.ts";
import type { ConnectionError } from "./connection-error.ts";
import type { InputError } from "./input-error.ts";
import type { JobFailedError } from "./job-failed-error.ts";
import type { OutcomeUnknownError } from "./outcome-error.ts";
import type { ResultError } from "./result-error.ts";
import { isBranded, type TryOnError } from "./tryon-error.ts";
import type { WaitTimeoutError } from "./wait-timeout-error.ts";

/** The class of the errors that have a code. */
export type ErrorWithCode<Code extends TryOnErrorCode> = (Code extends ApiErrorCode
  ? ApiError
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
 * Tells whether something caught is an error of this package, of one code if one is given. Holds where `instanceof`
 * fails: when an ESM and a CJS copy of the package are loaded side by side.
 *
 * @param error - Anything that was caught.
 * @example
 * import { isTryOnError } from "@tryon/client";
 *
 * try {
 *   await tryon.run(input);
 * } catch (error) {
 *   if (isTryOnError(error, "wait_timed_out")) await queue.add(error.job.id);
 *   else throw error;
 * }
 */
export function isTryOnError(error: unknown): error is TryOnError;
/**
 * Tells whether something caught is an error of this package with this code, and has the fields that go with it.
 *
 * @param error - Anything that was caught.
 * @param code - The code asked for.
 */
export function isTryOnError<Code extends TryOnErrorCode>(
  error: unknown,
  code: Code,
): error is ErrorWithCode<Code>;
export function isTryOnError(error: unknown, code?: TryOnErrorCode): boolean {
  return isBranded(error) && (code === undefined || error.code === code);
}
