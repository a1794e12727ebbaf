import type { Attempt } from "../errors/tryon-error.ts";
import type { ResultImage } from "../images/result-image.ts";
import type { Job } from "./job.ts";
import type { Update } from "./updates.ts";

/** Step of a try-on. */
export interface TimelineEntry {
  readonly phase: Update["phase"];
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
