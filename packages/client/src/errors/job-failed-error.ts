import type { Job } from "../jobs/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** The try-on was made and went wrong. */
export class JobFailedError extends TryOnError {
  declare readonly code: "job_failed";
  declare readonly job: Job;
  /** The service's own code: `generation_failed` is known, there may be others. */
  declare readonly error_code: string | undefined;
  /** The service's own message, bounded and without secrets: `content_blocked` means that the content was refused. */
  declare readonly error_message: string | undefined;
  /** Whether the service refused the content. */
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
