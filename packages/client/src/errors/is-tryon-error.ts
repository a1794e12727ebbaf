import type { TryOnErrorCode } from "./code.ts";
import type {
  BatchStoppedError,
  JobFailedError,
  ResultError,
  WaitTimeoutError,
} from "./job-errors.ts";
import type { BudgetError, ConfigError, InputError } from "./refusal-errors.ts";
import type { ApiError, ConnectionError, OutcomeUnknownError } from "./request-errors.ts";
import { isBranded, type TryOnError } from "./tryon-error.ts";

type AnyError =
  | ApiError
  | BatchStoppedError
  | BudgetError
  | ConfigError
  | ConnectionError
  | InputError
  | JobFailedError
  | OutcomeUnknownError
  | ResultError
  | WaitTimeoutError;

type ErrorWith<Code extends TryOnErrorCode, Type> = Type extends { readonly code: infer Codes }
  ? Code extends Codes
    ? Type & { readonly code: Code }
    : never
  : never;

/** Class of the errors with a code. */
export type ErrorWithCode<Code extends TryOnErrorCode> = ErrorWith<Code, AnyError>;

/**
 * Returns true for an error of this package, and with a code only for an error with that code. Works where `instanceof`
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
 *   else throw error;
 * }
 */
export function isTryOnError(error: unknown): error is TryOnError;
/**
 * Returns true for an error of this package with this code, which has the fields of its class.
 *
 * @param error - Any caught value.
 * @param code - Expected code.
 */
export function isTryOnError<Code extends TryOnErrorCode>(
  error: unknown,
  code: Code,
): error is ErrorWithCode<Code>;
export function isTryOnError(error: unknown, code?: TryOnErrorCode): boolean {
  return isBranded(error) && (code === undefined || error.code === code);
}
