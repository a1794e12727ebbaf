import { WebhookError } from "../webhook-error.ts";

/**
 * A job has ended. The fields are named as they are sent. Only `event`, `job_id` and `status` are
 * sure to be there; any other is `null` where it was not sent or has another type than it should.
 */
export interface TryOnCompletedEvent {
  readonly event: "tryon.completed";
  /** The job that ended. Never empty. */
  readonly job_id: string;
  readonly status: "succeeded" | "failed";
  /** Where the PNG can be fetched, for 24 hours. `null` for a job that failed. */
  readonly result_url: string | null;
  /** Why the job failed, e.g. `generation_failed`. */
  readonly error_code: string | null;
  /** Why, more closely, e.g. `content_blocked`. */
  readonly error_message: string | null;
  /** How long the job took, in milliseconds. */
  readonly duration_ms: number | null;
  /** When the job ended: ISO 8601, UTC, as it was sent. */
  readonly completed_at: string | null;
}

/**
 * An event of a kind that this version does not know: signed by the service, so neither an attack
 * nor an error. Answer 2xx and leave it. Its `status` is always `null`, so that no code for jobs
 * that ended takes it for one; what was sent is under `data`.
 */
export interface UnknownEvent {
  readonly event: string;
  readonly job_id: string | null;
  readonly status: null;
  /** All fields of the signed body. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A verified event. Its `status` tells the kinds apart: `null` is one that is not known. */
export type TryOnEvent = TryOnCompletedEvent | UnknownEvent;

/**
 * Reads an event from bytes whose signature was found right. JSON is UTF-8, a byte order mark at
 * its start may be passed over (RFC 8259, section 8.1), and bytes that are no UTF-8 are refused
 * rather than replaced.
 */
export function parseEvent(bytes: Uint8Array): TryOnEvent {
  // Whatever is no object has none of the fields that are asked for.
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
    // Finite is nothing but a number, and one too large is read as Infinity.
    duration_ms: Number.isFinite(data["duration_ms"]) ? (data["duration_ms"] as number) : null,
    completed_at: textOrNull(data["completed_at"]),
  };
}

/** Serves all: given whole texts it keeps nothing between them, not even of one that it refused. */
let decoder: TextDecoder | undefined;

function parseJson(bytes: Uint8Array): unknown {
  try {
    decoder ??= new TextDecoder("utf-8", { fatal: true });
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // What was caught is not passed on as the cause: its message quotes the body.
    throw new WebhookError(
      "invalid_json",
      "The signed body is no JSON in UTF-8. Poll the job instead, and tell the service.",
    );
  }
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function invalid(field: string): WebhookError {
  return new WebhookError(
    "invalid_event",
    `\`${field}\` of the signed body is missing or wrong. Poll the job instead, and tell the service.`,
  );
}
