import type { TryOnCompletedEvent } from "../generated/openapi.ts";
import type { Options } from "../options.ts";
import { hmacHex } from "../service/digest.ts";
import type { ResultAddresses } from "../service/result-address.ts";
import { formatTime } from "../service/time.ts";
import type { JobRecord } from "../store/records.ts";

/** The one kind of event that the service sends. */
export const eventKind = "tryon.completed";

/** A body, and the signature that is sent with it. */
export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

/** The event of a job's end as it is told at `now`, signed. */
export function completedEvent(
  job: JobRecord,
  parts: { results: ResultAddresses; options: Options; secret: string; now: number },
): SignedEvent {
  const event: TryOnCompletedEvent = {
    event: eventKind,
    job_id: job.id,
    status: job.status === "succeeded" ? "succeeded" : "failed",
    result_url: job.result === null ? null : parts.results.sign(job, parts.now),
    error_code: job.errorCode,
    error_message: job.errorMessage,
    duration_ms: job.durationMs ?? 0,
    completed_at: formatTime(job.completedAt ?? job.createdAt, parts.options.timeFormat),
  };
  const body = JSON.stringify(event);
  return { body, signature: `sha256=${hmacHex(parts.secret, body)}` };
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
