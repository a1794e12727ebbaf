import type { BudgetError, ConfigError, InputError } from "./refusal-errors.ts";
import type {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InsufficientCreditsError,
  InternalServerError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentError,
  PermissionDeniedError,
  RateLimitError,
  TooManyRefusalsError,
  UnprocessableEntityError,
} from "./named-errors.ts";
import type {
  BatchStoppedError,
  ConnectionError,
  JobFailedError,
  OutcomeUnknownError,
  ResultError,
  WaitTimeoutError,
} from "./request-errors.ts";
import { isBranded, type TryOnErrorCode } from "./tryon-error.ts";

/** Error of this package. A `switch` of its `code` narrows it to the class and the fields of each code. */
export type AnyTryOnError =
  | AuthenticationError
  | BadRequestError
  | BatchStoppedError
  | BudgetError
  | ConfigError
  | ConflictError
  | ConnectionError
  | InputError
  | InsufficientCreditsError
  | InternalServerError
  | JobFailedError
  | NotFoundError
  | OutcomeUnknownError
  | PayloadTooLargeError
  | PaymentError
  | PermissionDeniedError
  | RateLimitError
  | ResultError
  | TooManyRefusalsError
  | UnprocessableEntityError
  | WaitTimeoutError;

/** Class of the errors with a code. */
export type ErrorWithCode<Code extends TryOnErrorCode> = AnyTryOnError & { readonly code: Code };

/**
 * Returns true for an error of this package, and with codes only for an error with one of them. Without
 * codes, a `switch` of its `code` narrows it. Works with every copy of the package, also two in a page.
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
export function isTryOnError(error: unknown): error is AnyTryOnError;
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
