import type { JobStatus, TryOnJobStatus, TryOnSubmitResponse } from "../generated/openapi.ts";
import type { Attempt } from "./attempt.ts";
import type { CallOptions, Duration } from "./call-options.ts";
import type { ResultImage } from "./result-image.ts";
import type { Metadata } from "./try-on-input.ts";

/** Status of the service, or one that a later version of it may add. */
export type OpenJobStatus = JobStatus | (string & {});

/**
 * Data of a job, with the field names of the service. Only the id and the status are always present: the response to a
 * submission has fewer fields than that to a poll.
 *
 * @interface
 */
export type JobData = {
  readonly job_id: string;
  readonly status: OpenJobStatus;
  readonly metadata?: Metadata | null | undefined;
} & {
  readonly [
    Field in Exclude<
      keyof TryOnJobStatus | keyof TryOnSubmitResponse,
      "job_id" | "status" | "metadata"
    >
  ]?: (TryOnJobStatus & TryOnSubmitResponse)[Field] | undefined;
};

/**
 * Try-on that the service has accepted. It runs with or without a wait, and is billed once. It is not a promise, so async
 * functions can return it.
 */
export interface Job extends AsyncIterable<JobData> {
  readonly id: string;
  /** Last data of the job, with the field names of the service. Every poll updates it. */
  readonly data: JobData;
  /** `queued`, `running`, `succeeded` or `failed`, as of the last poll. */
  readonly status: OpenJobStatus;
  /** Idempotency key, if this client submitted the job or its metadata has the key. */
  readonly idempotencyKey: string | undefined;

  /**
   * Waits for the end of the job and returns the result. May be called repeatedly, also after an error.
   *
   * @throws `job_failed` with the service's reason; `wait_timed_out` when `timeout` is up (the job runs on); whatever stops
   * the client from asking, such as `unauthorized`. The job is on each of them.
   * @example
   * const result = await job.result({ timeout: "5m" });
   * await result.image.save("out.png");
   */
  result(options?: WaitOptions): Promise<TryOnResult>;

  /**
   * Yields the data of the job now, and after each poll until the job has succeeded or failed.
   *
   * @throws as `result`, but not `job_failed`.
   * @example
   * for await (const { status } of job.updates({ timeout: "5m" })) console.log(status);
   */
  updates(options?: PollOptions): AsyncGenerator<JobData, void, undefined>;

  /** Yields the same as `updates()`, with the client's `timeout`. */
  [Symbol.asyncIterator](): AsyncGenerator<JobData, void, undefined>;

  /** Returns the saved job for `tryon.jobs.resume` in this or another process. */
  toJSON(): SavedJob;

  /**
   * Returns id, status and cost, as `console.log` of Node also prints them.
   *
   * @example
   * console.log(`${job}`); // Job job_4fK9sQ2mZx7LbT1cVw8RnE3y (succeeded, 8 credits)
   */
  toString(): string;
}

/** Options of every call that polls jobs. */
export interface PollOptions extends CallOptions {
  /**
   * Time between two polls of a job, from 100 milliseconds to 1 hour, in milliseconds or as a string such as `"2s"`.
   *
   * @default the client's `pollInterval`, which is "auto"
   */
  readonly pollInterval?: Duration | "auto" | undefined;
}

/** Options of a wait. */
export interface WaitOptions extends PollOptions {
  /** Called on every progress update. Errors it throws are ignored and go to the client's `logger`. */
  readonly onUpdate?: OnUpdate | undefined;
}

/** Job as JSON, for `tryon.jobs.resume` in this or another process. */
export interface SavedJob {
  readonly id: string;
  readonly idempotencyKey?: string | undefined;
  /** Last data of the job, without the signed URL of its image. */
  readonly data?: JobData | undefined;
}

/** Retries a submission: the same body under the same key. */
export type Recover = (options?: CallOptions) => Promise<Job>;

/** Progress update of a call. */
export type Update =
  /** Before the submission is sent for the first time. */
  | { readonly phase: "sending"; readonly idempotencyKey: string }
  /**
   * While image bytes are uploaded: bytes of the request sent so far, and in all. Only over `node:http`. A retry starts
   * again.
   */
  | {
      readonly phase: "uploading";
      readonly idempotencyKey: string;
      readonly sent: number;
      readonly total: number;
    }
  /** After a transient failure: the request is retried after `delay` milliseconds. */
  | { readonly phase: "retrying"; readonly idempotencyKey: string; readonly delay: number }
  /** The job has not ended: after the submission, and after each poll. */
  | { readonly phase: "waiting"; readonly job: Job }
  /** The job has ended. */
  | { readonly phase: "succeeded" | "failed"; readonly job: Job };

/** Callback for progress updates. */
export type OnUpdate = (update: Update) => unknown;

/** Step of a try-on. */
export interface TimelineEntry {
  readonly phase: Exclude<Update["phase"], "uploading">;
  /** Start time, in milliseconds since 1970. */
  readonly at: number;
}

/** Cost and requests of a try-on. */
export interface Receipt {
  readonly jobId: string;
  /** `x-request-id` of the response to the submission. Undefined if it had none, or the job was resumed. */
  readonly requestId: string | undefined;
  /** Idempotency key of the submission. Undefined if the job was resumed without it. */
  readonly idempotencyKey: string | undefined;
  /** Cost of the job in credits. Undefined if the service did not say. */
  readonly credits: number | undefined;
  /** Credits of the key after the submission. Undefined if the service did not say. */
  readonly balance: number | undefined;
  /** Requests that submitted it. */
  readonly attempts: readonly Attempt[];
  /** Steps that this client has observed. */
  readonly timeline: readonly TimelineEntry[];
}

/** Result of a try-on. */
export interface TryOnResult {
  readonly job: Job;
  /** Result image, downloaded on demand. */
  readonly image: ResultImage;
  readonly receipt: Receipt;
}
