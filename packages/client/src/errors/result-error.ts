import type { Job } from "../jobs/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** The image of a job that succeeded cannot be had: not at a fresh address (`result_expired`), or not any more (`result_purged`). */
export class ResultError extends TryOnError {
  declare readonly code: "result_expired" | "result_purged";
  declare readonly job: Job;

  /** @hidden */
  constructor(code: ResultError["code"], job: Job, details?: TryOnErrorDetails) {
    super(code, `The image of job ${job.id} cannot be had.`, {
      hint:
        code === "result_purged"
          ? "It is gone: images are kept for 30 days."
          : "A fresh address was refused, too: try again later.",
      ...details,
      job,
    });
  }
}
