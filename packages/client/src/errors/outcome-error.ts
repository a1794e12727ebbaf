import type { CallOptions } from "../config/options.ts";
import type { Job } from "../jobs/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** Sends a submission again, the same bytes under the same key. */
export type Recover = (options?: CallOptions) => Promise<Job>;

/**
 * A submission whose fate is not known: it may have arrived, so there may be a job, and it may have been charged. `cause`
 * is what ended the call.
 */
export class OutcomeUnknownError extends TryOnError {
  declare readonly code: "outcome_unknown";
  /** The key that the submission was sent under. */
  declare readonly idempotencyKey: string;
  /**
   * Finds out: sends the same body under the same key again, which gives the job if there is one and makes it if there is
   * none. Never a second job, never a second charge.
   *
   * Later than `idempotencyWindow` after the first request nothing is sent again, since a service may have forgotten the key:
   * then it looks for the job in the list, where `keyInMetadata: true` makes it known.
   *
   * @throws `outcome_unknown` when it still cannot be known.
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
