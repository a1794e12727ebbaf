import type { Job } from "../types/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

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
    super("job_failed", `Job ${job.id} failed: ${reason}.`, {
      hint: isContentBlocked
        ? "Change the content: repeated refusals can suspend the key."
        : "A new try-on is a new job with its own charge.",
      ...details,
      job,
      error_code,
      error_message,
      isContentBlocked,
    });
  }
}

/** End of the `timeout` before the job has ended. The job goes on and is billed once. */
export class WaitTimeoutError extends TryOnError {
  declare readonly code: "wait_timed_out";
  declare readonly job: Job;

  /** @hidden */
  constructor(job: Job, details?: TryOnErrorDetails) {
    super("wait_timed_out", `Job ${job.id} did not end before the timeout.`, { ...details, job });
  }
}

/** Failure to download a result image: the store rejected a fresh URL too (`result_expired`), or the image was deleted (`result_purged`). */
export class ResultError extends TryOnError {
  declare readonly code: "result_expired" | "result_purged";
  declare readonly job: Job;

  /** @hidden */
  constructor(code: ResultError["code"], job: Job, details?: TryOnErrorDetails) {
    super(code, `The image of job ${job.id} cannot be downloaded.`, {
      hint:
        code === "result_purged"
          ? "It was deleted: the service keeps images for 30 days."
          : "The store also refused a new URL: try again later.",
      ...details,
      job,
    });
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
  declare readonly reason: StopReason;

  /** @hidden */
  constructor(reason: StopReason, message: string, hint: string, cause?: unknown) {
    super("batch_stopped", message, { hint, cause });
    this.reason = reason;
  }
}
