import type { TryOnCompletedEvent } from "../generated/openapi.ts";
import type { Options } from "../options.ts";
import { hmacHex } from "../service/digest.ts";
import { formatTime } from "../service/time.ts";
import type { JobRecord } from "../store/records.ts";

/** The one kind of event that the service sends. */
const eventKind = "tryon.completed";

/** A body, and the signature that is sent with it. */
export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

/** What of a job that has ended goes into its event. */
export type EndedJob = Pick<
  JobRecord,
  "id" | "status" | "errorCode" | "errorMessage" | "durationMs" | "createdAt" | "completedAt"
>;

/** The event of a job's end, signed over the bytes of its body. */
export function completedEvent(
  job: EndedJob,
  resultUrl: string | null,
  parts: { timeFormat: Options["timeFormat"]; secret: string },
): SignedEvent {
  const event: TryOnCompletedEvent = {
    event: eventKind,
    job_id: job.id,
    status: job.status === "succeeded" ? "succeeded" : "failed",
    result_url: resultUrl,
    error_code: job.errorCode,
    error_message: job.errorMessage,
    duration_ms: job.durationMs ?? 0,
    completed_at: formatTime(job.completedAt ?? job.createdAt, parts.timeFormat),
  };
  const body = JSON.stringify(event);
  return { body, signature: `sha256=${hmacHex(parts.secret, body)}` };
}

/** The headers that an event is sent with. */
export function eventHeaders(jobId: string, signature: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "TryOn-Webhooks/1.0",
    "x-service-signature": signature,
    "x-service-event": eventKind,
    "x-service-job-id": jobId,
  };
}

/** The event with its ending turned round, under the signature of the true one: what a forger would send. */
export function tampered({ body, signature }: SignedEvent): SignedEvent {
  const turned: Readonly<Record<string, string>> = { succeeded: "failed", failed: "succeeded" };
  const forged = body.replace(
    /"status":"(succeeded|failed)"/,
    (_whole, status: string) => `"status":"${turned[status]}"`,
  );
  return { body: forged, signature };
}
