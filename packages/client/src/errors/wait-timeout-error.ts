import type { Job } from "../types/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** End of the `timeout` before the job has ended. The job goes on and is billed once. */
export class WaitTimeoutError extends TryOnError {
  declare readonly code: "wait_timed_out";
  declare readonly job: Job;

  /** @hidden */
  constructor(job: Job, details?: TryOnErrorDetails) {
    super("wait_timed_out", `Job ${job.id} had not ended in time.`, { ...details, job });
  }
}
