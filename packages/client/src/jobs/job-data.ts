import type { JobData, OpenJobStatus } from "../types/job.ts";

/**
 * Returns true if a job has succeeded.
 *
 * @example
 * import { isSucceeded } from "@tryon/client";
 *
 * if (isSucceeded(job.data)) console.log(job.data.result_url);
 */
export function isSucceeded(data: JobData): data is JobData & { readonly status: "succeeded" } {
  return data.status === "succeeded";
}

/**
 * Returns true if a job has failed.
 *
 * @example
 * import { isFailed } from "@tryon/client";
 *
 * if (isFailed(job.data)) console.log(job.data.error_message);
 */
export function isFailed(data: JobData): data is JobData & { readonly status: "failed" } {
  return data.status === "failed";
}

/** Returns true if a job has ended. With any other status, also an unknown one, it may still change. */
export function isFinal(status: OpenJobStatus): status is "succeeded" | "failed" {
  return status === "succeeded" || status === "failed";
}
