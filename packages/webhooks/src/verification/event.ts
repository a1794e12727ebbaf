import { WebhookError } from "../webhook-error.ts";

/**
 * Event of a job that has ended, with the fields of the service. The library requires `event`,
 * `job_id` and `status`. Another field is `null` if it was not sent or has a wrong type.
 */
export interface TryOnCompletedEvent {
  /** Kind of the event. */
  readonly event: "tryon.completed";
  /** Id of the job. Never empty. */
  readonly job_id: string;
  /** Outcome of the job. */
  readonly status: "succeeded" | "failed";
  /** URL of the PNG, valid for 24 hours. `null` for a failed job. */
  readonly result_url: string | null;
  /** Code of the failure, e.g. `generation_failed`. */
  readonly error_code: string | null;
  /** Detail of the failure, e.g. `content_blocked`. */
  readonly error_message: string | null;
  /** Duration of the job, in milliseconds. */
  readonly duration_ms: number | null;
  /** End of the job: ISO 8601, UTC, as it was sent. */
  readonly completed_at: string | null;
}

/**
 * Event of a kind that this version does not support. The service has signed it, so it is neither
 * an attack nor an error: respond with 2xx. Its `status` is always `null`, which distinguishes it
 * from the end of a job. `data` has the fields that were sent.
 */
export interface UnknownEvent {
  /** Kind of the event. Never empty, and never `tryon.completed`. */
  readonly event: string;
  /** Id of the job. `null` if it was not sent or is not text. */
  readonly job_id: string | null;
  /** Always `null`, even if the service sent a status. `data` has the sent one. */
  readonly status: null;
  /** All fields of the signed body. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Verified event. A `status` of `null` is an event of an unknown kind. */
export type TryOnEvent = TryOnCompletedEvent | UnknownEvent;

/**
 * Parses an event from signed bytes: JSON in UTF-8. It ignores a byte order mark (RFC 8259, section
 * 8.1) and rejects invalid UTF-8 instead of replacing it.
 */
export function parseEvent(bytes: Uint8Array): TryOnEvent {
  // Other values than objects have none of these fields.
  const data = (parseJson(bytes) ?? {}) as Readonly<Record<string, unknown>>;
  const event = textOrNull(data["event"]);
  const job_id = textOrNull(data["job_id"]);
  const { status } = data;
  if (!event) throw invalid("event");
  if (event !== "tryon.completed") return { event, job_id, status: null, data };
  if (!job_id) throw invalid("job_id");
  if (status !== "succeeded" && status !== "failed") throw invalid("status");
  return {
    event,
    job_id,
    status,
    result_url: textOrNull(data["result_url"]),
    error_code: textOrNull(data["error_code"]),
    error_message: textOrNull(data["error_message"]),
    // JSON.parse reads a number that is too large as Infinity.
    duration_ms: Number.isFinite(data["duration_ms"]) ? (data["duration_ms"] as number) : null,
    completed_at: textOrNull(data["completed_at"]),
  };
}

/** Shared decoder. It keeps no state between complete texts, even after an error. */
let decoder: TextDecoder | undefined;

function parseJson(bytes: Uint8Array): unknown {
  try {
    decoder ??= new TextDecoder("utf-8", { fatal: true });
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // The caught error is not the cause, because its message quotes the body.
    throw new WebhookError(
      "invalid_json",
      "The signed body is not JSON in UTF-8. Poll the job instead, and report this.",
    );
  }
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function invalid(field: string): WebhookError {
  return new WebhookError(
    "invalid_event",
    `\`${field}\` of the signed body is missing or wrong. Poll the job instead, and report this.`,
  );
}
