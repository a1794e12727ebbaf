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
        : "Another try is a new job, paid separately.",
      ...details,
      job,
      error_code,
      error_message,
      isContentBlocked,
    });
  }
}
