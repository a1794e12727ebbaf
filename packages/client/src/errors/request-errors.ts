import type { Recover } from "../types/job.ts";
import type { ApiErrorCode } from "./code.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** Response of the service with an error status. */
export class ApiError extends TryOnError {
  declare readonly code: ApiErrorCode;
  declare readonly status: number;
  /** With `purchase_already_processed`: credits of the key, if the account could be read. */
  declare readonly balance?: number;
  /** Idempotency key, with `server_error`, `unavailable` and `idempotency_conflict` of a submission. */
  declare readonly idempotencyKey?: string;
  /**
   * With `server_error`, `unavailable` and `idempotency_conflict` of a submission: sends the same body under the same key
   * again. The service returns the job if there is one, and makes it if there is none. There is never a second charge.
   */
  declare readonly recover?: Recover;
}

/**
 * Failure without a usable response: none (`connection_failed`), none in time (`timed_out`), a redirect, which is not
 * followed (`redirected`), or a response that the service would not send (`unexpected_response`).
 */
export class ConnectionError extends TryOnError {
  declare readonly code: "connection_failed" | "timed_out" | "redirected" | "unexpected_response";
}

/**
 * Submission with an unknown outcome: there may be a job, and it may have been charged. `cause` is the error that ended the
 * call.
 */
export class OutcomeUnknownError extends TryOnError {
  declare readonly code: "outcome_unknown";
  /** Idempotency key of the submission. */
  declare readonly idempotencyKey: string;
  /**
   * Finds out the outcome: sends the same body under the same key again. The service returns the job if there is one, and
   * makes it if there is none. There is never a second job or a second charge.
   *
   * After the `idempotencyWindow`, nothing is sent again, since the service may have forgotten the key. The client then looks
   * for the job in the list, which requires `keyInMetadata: true`.
   *
   * @throws `outcome_unknown` if the outcome is still unknown
   * @example
   * if (isTryOnError(error, "outcome_unknown")) {
   *   const job = await error.recover();
   *   const result = await job.result();
   * }
   */
  declare readonly recover: Recover;

  /** @hidden */
  constructor(
    message: string,
    details: TryOnErrorDetails & { idempotencyKey: string; recover: Recover },
  ) {
    super("outcome_unknown", message, details);
  }
}
