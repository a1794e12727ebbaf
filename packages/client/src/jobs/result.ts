import type { Attempt } from "../errors/tryon-error.ts";
import type { ResultImage } from "../images/result-image.ts";
import type { Job } from "./job.ts";
import type { Update } from "./updates.ts";

/** A step of a try-on. */
export interface TimelineEntry {
  readonly phase: Update["phase"];
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

/** What was paid for what. */
export interface Receipt {
  readonly jobId: string;
  /** The `x-request-id` of the answer to the submission; absent when it had none, or the job was resumed. */
  readonly requestId: string | undefined;
  /** The key of the submission; absent when the job was resumed without it. */
  readonly idempotencyKey: string | undefined;
  /** What the job cost in credits; absent when the service did not say. */
  readonly credits: number | undefined;
  /** The credits of the key right after the submission; absent when the service did not say. */
  readonly balance: number | undefined;
  /** Every request that was sent to submit it. */
  readonly attempts: readonly Attempt[];
  /** The steps of it that this client has seen. */
  readonly timeline: readonly TimelineEntry[];
}

/** A try-on that succeeded. */
export interface TryOnResult {
  readonly job: Job;
  /** The picture; it is fetched when it is asked for. */
  readonly image: ResultImage;
  readonly receipt: Receipt;
}
