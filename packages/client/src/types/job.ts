import type { JobStatus, TryOnJobStatus, TryOnSubmitResponse } from "@tryon/spec/openapi";
import type { Attempt } from "./attempt.ts";
import type { CallOptions, Duration } from "./call-options.ts";
import type { ResultImage } from "./result-image.ts";
import type { Metadata } from "./try-on-input.ts";

/** Status of the service, or one that a later version of it may add. */
export type OpenJobStatus = JobStatus | (string & {});

/** Optional fields of a response. A mapped type over `keyof` keeps their descriptions. */
type Fields<Data, Names extends keyof Data> = {
  readonly [Name in Names]?: Data[Name] | undefined;
};

/**
 * Data of a job, with the field names of the service. Only the id and the status are always present: the response to a
 * submission has fewer fields than that to a poll.
 *
 * @interface
 */
export type JobData = {
  /** Id of the job, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
  readonly job_id: string;
  /** `queued`, `running`, `succeeded` or `failed`. A later version of the service may add others. */
  readonly status: OpenJobStatus;
  /** Metadata of the request. Absent in some responses to a submission. */
  readonly metadata?: Metadata | null | undefined;
} & Fields<TryOnJobStatus, Exclude<keyof TryOnJobStatus, "job_id" | "status" | "metadata">> &
  Fields<TryOnSubmitResponse, Exclude<keyof TryOnSubmitResponse, keyof TryOnJobStatus>>;

/**
 * Try-on that the service has accepted. It runs with or without a wait, and is billed once. It is not a promise, so async
 * functions can return it.
 */
export interface Job extends AsyncIterable<JobData> {
  /** Id of the job, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
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
  /** Version of the format. The client refuses one that it does not know. @default 1 */
  readonly version?: number | undefined;
  /** Id of the job, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
  readonly id: string;
  /** Idempotency key of the submission. Absent if the client does not have it. */
  readonly idempotencyKey?: string | undefined;
  /** Fingerprint of the API key that the job belongs to. Not a secret. Absent if the client does not know the key. */
  readonly apiKeyFingerprint?: string | undefined;
  /** Last data of the job, without the signed URL of its image. */
  readonly data?: JobData | undefined;
}

/** Retries a submission: the same body under the same key. */
export type Recover = (options?: CallOptions) => Promise<Job>;

/** Progress update of a call. */
export type Update =
  /** Before the submission is sent for the first time. */
  | {
      /** Step of the call. */
      readonly phase: "sending";
      /** Idempotency key of the submission. */
      readonly idempotencyKey: string;
    }
  /**
   * While image bytes are uploaded: bytes of the request sent so far, and in all. Only over `node:http`. A retry starts
   * again.
   */
  | {
      /** Step of the call. */
      readonly phase: "uploading";
      /** Idempotency key of the submission. */
      readonly idempotencyKey: string;
      /** Bytes of the request sent so far. A retry starts again at 0. */
      readonly sent: number;
      /** Bytes of the request in all. */
      readonly total: number;
    }
  /** After a transient failure: the request is retried after `delay` milliseconds. */
  | {
      /** Step of the call. */
      readonly phase: "retrying";
      /** Idempotency key of the submission. */
      readonly idempotencyKey: string;
      /** Time until the retry, in milliseconds. */
      readonly delay: number;
    }
  /** The job has not ended: after the submission, and after each poll. */
  | {
      /** Step of the call. */
      readonly phase: "waiting";
      /** Job of the call, with the data of the last poll. */
      readonly job: Job;
    }
  /** The job has ended. */
  | {
      /** Step of the call. */
      readonly phase: "succeeded" | "failed";
      /** Job of the call, with the data of the last poll. */
      readonly job: Job;
    };

/** Callback for progress updates. */
export type OnUpdate = (update: Update) => unknown;

/** Step of a try-on. */
export interface TimelineEntry {
  /** Phase of the progress update that began the step. */
  readonly phase: Exclude<Update["phase"], "uploading">;
  /** Start time, in milliseconds since 1970. */
  readonly at: number;
}

/** Cost and requests of a try-on. */
export interface Receipt {
  /** Id of the job, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
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
  /** Job that made the image. Its status is `succeeded`. */
  readonly job: Job;
  /** Result image, downloaded on demand. */
  readonly image: ResultImage;
  /** Cost, requests and steps of the try-on. */
  readonly receipt: Receipt;
}
