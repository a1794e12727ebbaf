import type { Job } from "../jobs/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** The image of a job that succeeded cannot be had: not at a fresh address (`result_expired`), or not any more (`result_purged`). */
export class ResultError extends TryOnError {
  declare readonly code: "result_expired" | "result_purged";
  declare readonly job: Job;

  constructor(code: ResultError["code"], job: Job, details: TryOnErrorDetails = {}) {
    const purged = code === "result_purged";
    super(
      code,
      purged
        ? `The image of job ${job.id} is gone.`
        : `The image of job ${job.id} was refused, also at a fresh address.`,
      {
        hint: purged ? "Images are kept for 30 days." : "Try again later.",
        ...details,
        job,
      },
    );
  }
}
