import type { TryOnCompletedEvent } from "@tryon/spec/openapi";
import type { Options } from "../options.ts";
import { hmacHex } from "../service/digest.ts";
import type { JobRecord } from "../store/records.ts";
import { formatTime } from "../system/date.ts";

const eventKind = "tryon.completed";

export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

export function completedEvent(
  job: JobRecord,
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

export function eventHeaders(jobId: string, signature: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "TryOn-Webhooks/1.0",
    "x-service-signature": signature,
    "x-service-event": eventKind,
    "x-service-job-id": jobId,
  };
}

/** Changes the status of an event but keeps its signature, as an attacker would. */
export function tampered({ body, signature }: SignedEvent): SignedEvent {
  const opposite: Readonly<Record<string, string>> = { succeeded: "failed", failed: "succeeded" };
  const forged = body.replace(
    /"status":"(succeeded|failed)"/,
    (_whole, status: string) => `"status":"${opposite[status]}"`,
  );
  return { body: forged, signature };
}
