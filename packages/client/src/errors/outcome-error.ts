import type { Recover } from "../types/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

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
