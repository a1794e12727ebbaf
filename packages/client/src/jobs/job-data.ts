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

/** Maximum difference between the clocks of client and service, in milliseconds. */
export const maxClockSkew = 3_600_000;

/** Returns a time of the service in milliseconds since 1970, or NaN without one. A time without a zone is UTC. */
export function serviceTime(text: string | null | undefined): number {
  return Date.parse(String(text).replace(/T[^Z+-]*$/, "$&Z"));
}
