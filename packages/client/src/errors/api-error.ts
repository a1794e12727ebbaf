import type { ApiErrorCode } from "./code.ts";
import type { Recover } from "./outcome-error.ts";
import { TryOnError } from "./tryon-error.ts";

/** The service answered with an error status. */
export class ApiError extends TryOnError {
  declare readonly code: ApiErrorCode;
  declare readonly status: number;
  /** With `purchase_already_processed`: the credits that the key has now, when the account could be read. */
  declare readonly balance?: number;
  /** The key of the submission, with `server_error`, `unavailable` and `idempotency_conflict` of a submission. */
  declare readonly idempotencyKey?: string;
  /**
   * With `server_error`, `unavailable` and `idempotency_conflict` of a submission: sends the same body under the same key
   * again, which gives the job if there is one and makes it if there is none. Never a second job, never a second charge.
   */
  declare readonly recover?: Recover;
}
