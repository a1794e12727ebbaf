import type { Job } from "../jobs/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** The try-on was made and went wrong. */
export class JobFailedError extends TryOnError {
  declare readonly code: "job_failed";
  declare readonly job: Job;
  /** The service's own code: `generation_failed` is known, there may be others. */
  readonly error_code: string | undefined;
  /** The service's own message: `content_blocked` means that the content was refused. */
  readonly error_message: string | undefined;

  constructor(job: Job, details: TryOnErrorDetails = {}) {
    const { error_code, error_message } = job.data;
    const blocked = error_message === "content_blocked";
    super(
      "job_failed",
      `Job ${job.id} failed: ${excerpt(error_code)} (${excerpt(error_message)}).`,
      {
        hint: blocked
          ? "The content was refused: change it. Repeated refusals can suspend the key."
          : "Another try is a new job, paid separately.",
        ...details,
        job,
      },
    );
    this.error_code = error_code ?? undefined;
    this.error_message = error_message ?? undefined;
  }

  /** Whether the service refused the content. */
  get isContentBlocked(): boolean {
    return this.error_message === "content_blocked";
  }
}

const excerpt = (text: string | null | undefined): string =>
  (text ?? "no reason given").slice(0, 200);

/** The time was up before the job ended. The job runs on, is billed once, and is on the error. */
export class WaitTimeoutError extends TryOnError {
  declare readonly code: "wait_timed_out";
  declare readonly job: Job;

  constructor(job: Job, details: TryOnErrorDetails = {}) {
    super("wait_timed_out", `Job ${job.id} had not ended in time.`, {
      hint: "It runs on and is billed once: do not submit it again, wait on with error.job.result() or jobs.resume(id).",
      ...details,
      job,
    });
  }
}
