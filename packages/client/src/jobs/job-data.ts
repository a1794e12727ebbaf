import type { JobStatus, TryOnJobStatus, TryOnSubmitResponse } from "../generated/openapi.ts";

/** A status of the service, or one that a later version of it may add. */
export type OpenJobStatus = JobStatus | (string & {});

/**
 * What is known of a job, as the service names it. Only the id and the status are always there: a submission is answered
 * with fewer fields than a poll.
 *
 * @interface
 */
export type JobData = { readonly job_id: string; readonly status: OpenJobStatus } & {
  readonly [
    Field in Exclude<keyof TryOnJobStatus | keyof TryOnSubmitResponse, "job_id" | "status">
  ]?: (TryOnJobStatus & TryOnSubmitResponse)[Field] | undefined;
};

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

/** Whether a job has ended. Any status but the two final ones, also an unknown one, means that it may still change. */
export function isFinal(status: OpenJobStatus): status is "succeeded" | "failed" {
  return status === "succeeded" || status === "failed";
}
