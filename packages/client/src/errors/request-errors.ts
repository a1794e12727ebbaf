import type { Job, Recover } from "../types/job.ts";
import type { UnknownReason } from "../types/key-search.ts";
import { TryOnError, type ApiErrorCode, type TryOnErrorDetails } from "./tryon-error.ts";

/**
 * Response of the service with an error status, or `rate_limited` without a response: the client does not send a request
 * that would wait for the rate limit until its time limit.
 */
export class ApiError extends TryOnError {
  declare readonly code: ApiErrorCode;
  /** With `purchase_already_processed`: credits of the key, if the account could be read. */
  declare readonly balance?: number;
  /** Idempotency key, with `server_error`, `unavailable` and `idempotency_conflict` of a submission. */
  declare readonly idempotencyKey?: string;
  /**
   * With `server_error`, `unavailable` and `idempotency_conflict` of a submission: sends the same body under the same key
   * again. The client assumes that the service then returns the job if there is one, and makes it if there is none.
   */
  declare readonly recover?: Recover;
}

/**
 * Failure without a usable response: none (`connection_failed`), none in time (`timed_out`), a redirect, which is not
 * followed (`redirected`), or a response that the service would not send (`unexpected_response`).
 */
export class ConnectionError extends TryOnError {
  declare readonly code: "connection_failed" | "timed_out" | "redirected" | "unexpected_response";
  /** Idempotency key of a submission by `@tryon/client/raw`. */
  declare readonly idempotencyKey?: string;
  /**
   * If the store of a result image returned something else, with `unexpected_response`: the first 64 KiB of it, with its content
   * type. `JSON.stringify` and logs leave it out.
   */
  declare readonly received?: Blob;
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
   * Finds out the outcome: sends the same body under the same key again. The client assumes that the service then returns
   * the job if there is one, and makes it if there is none, so that no second job is made or charged.
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
  /**
   * If the list was searched for the job: `absent`, or the reason why the search cannot say if there is one, see
   * `jobs.findByKey`. With `too_early`, `retryAfter` has the seconds until a search can say more.
   */
  declare readonly search?: "absent" | UnknownReason;

  /** @hidden */
  constructor(
    message: string,
    details: TryOnErrorDetails & {
      idempotencyKey: string;
      recover: Recover;
      search?: OutcomeUnknownError["search"];
    },
  ) {
    super("outcome_unknown", message, details);
  }
}

/** Failure of a job. */
export class JobFailedError extends TryOnError {
  declare readonly code: "job_failed";
  declare readonly job: Job;
  /** Error code of the service: `generation_failed`, or another one. */
  declare readonly error_code: string | undefined;
  /** Error message of the service, bounded and without secrets. `content_blocked`: the service rejected the content. */
  declare readonly error_message: string | undefined;
  /** If true, the service rejected the content. */
  declare readonly isContentBlocked: boolean;

  /** @hidden */
  constructor(job: Job, details?: TryOnErrorDetails) {
    const { error_code, error_message } = job.data;
    const isContentBlocked = error_message === "content_blocked";
    const reason = error_message || error_code || "unknown";
    const fields = { job, error_code, error_message, isContentBlocked };
    const hint = isContentBlocked
      ? "Change the content: repeated refusals can suspend the key."
      : undefined;
    super("job_failed", `Job ${job.id} failed: ${reason}.`, { hint, ...details, ...fields });
  }
}

/** End of the `timeout` before the job has ended. The job goes on and is billed once. */
export class WaitTimeoutError extends TryOnError {
  declare readonly code: "wait_timed_out";
  declare readonly job: Job;

  /** @hidden */
  constructor(job: Job, timeout: number, details?: TryOnErrorDetails) {
    const time = timeout < 1_000 ? `${timeout} ms: did you mean seconds?` : `${timeout / 1_000} s.`;
    super("wait_timed_out", `Job ${job.id} did not end within ${time}`, { ...details, job });
  }
}

/**
 * Failure to download a result image: the store also rejected fresh URLs for 30 seconds (`result_expired`), or the job is
 * older than the 30 days for which the service keeps images (`result_purged`).
 */
export class ResultError extends TryOnError {
  declare readonly code: "result_expired" | "result_purged";
  declare readonly job: Job;

  /** @hidden */
  constructor(code: ResultError["code"], job: Job, details?: TryOnErrorDetails) {
    super(code, `The image of job ${job.id} cannot be downloaded.`, { ...details, job });
  }
}

/**
 * Reason why a batch stopped.
 *
 * - `error`: an item failed in a way that every other item would, see `stopOn`.
 * - `content_blocked`: the service blocked the content of several consecutive items.
 * - `journal`: the journal could not be read or written.
 */
export type StopReason = "error" | "content_blocked" | "journal";

/** A batch stopped early. It has yielded every item that it had started, and starts no other. */
export class BatchStoppedError extends TryOnError {
  declare readonly code: "batch_stopped";
  /** Reason for the stop. `cause` has the error. */
  declare readonly reason: StopReason;

  /** @hidden */
  constructor(reason: StopReason, message: string, hint: string, cause?: unknown) {
    super("batch_stopped", message, { hint, cause });
    this.reason = reason;
  }
}
