import type { Job } from "../types/job.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

/** Failure to download a result image: the store rejected a fresh URL too (`result_expired`), or the image was deleted (`result_purged`). */
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
