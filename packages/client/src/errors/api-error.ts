import type { ApiErrorCode } from "./code.ts";
import type { Recover } from "../types/job.ts";
import { TryOnError } from "./tryon-error.ts";

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
