import type { Job } from "../jobs/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** The time was up before the job ended. The job runs on, is billed once, and is on the error. */
export class WaitTimeoutError extends TryOnError {
  declare readonly code: "wait_timed_out";
  declare readonly job: Job;

  /** @hidden */
  constructor(job: Job, details?: TryOnErrorDetails) {
    super("wait_timed_out", `Job ${job.id} had not ended in time.`, { ...details, job });
  }
}
