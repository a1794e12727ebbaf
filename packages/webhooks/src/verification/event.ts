import { WebhookError } from "../webhook-error.ts";

interface CompletedFields {
  /** Kind of the event. */
  readonly event: "tryon.completed";
  /** Id of the job. Never empty. */
  readonly job_id: string;
  /** Code of the failure, e.g. `generation_failed`. */
  readonly error_code: string | null;
  /** Detail of the failure, e.g. `content_blocked`. */
  readonly error_message: string | null;
  /** Duration of the job, in milliseconds. */
  readonly duration_ms: number | null;
  /** End of the job: ISO 8601, UTC, as it was sent. */
  readonly completed_at: string | null;
}

/** Event of a job that has succeeded. */
export interface TryOnSucceededEvent extends CompletedFields {
  /** Outcome of the job. */
  readonly status: "succeeded";
  /** URL of the PNG, valid for 24 hours. `null` if the service sent none: `image` asks for one. */
  readonly result_url: string | null;
  /**
   * Polls the job with your client and returns its image, also without a `result_url`, and later than 24 hours. Not part of the
   * JSON of the event, nor of a copy.
   *
   * @param tryon - `TryOn` of `@tryon/client` with the API key of the job.
   * @param options - Options of the wait, such as `timeout` and `signal`.
   * @throws errors of `job.result()` of the client
   * @example
   * import { createReceiver } from "@tryon/webhooks";
   *
   * export const POST = createReceiver({
   *   secrets: () => process.env.TRYON_WEBHOOK_SECRET,
   *   async onCompleted(event) {
   *     if (event.status === "failed") return;
   *     const image = await event.image(tryon);
   *     await image.save(`${event.job_id}.png`);
   *   },
   * });
   */
  image<Image, Options>(
    this: void,
    tryon: ImageSource<Image, Options>,
    options?: Options,
  ): Promise<Image>;
}

/** Event of a job that has failed. */
export interface TryOnFailedEvent extends CompletedFields {
  /** Outcome of the job. */
  readonly status: "failed";
  /** A failed job has no image. */
  readonly result_url: null;
}

/**
 * Event of a job that has ended, with the fields of the service: its `status` narrows it. The library requires `event`,
 * `job_id` and `status`. Another field is `null` if it was not sent or has a wrong type.
 */
export type TryOnCompletedEvent = TryOnSucceededEvent | TryOnFailedEvent;

/** Fields of an event, which its status does not narrow. */
export type EventFields = {
  readonly [Name in keyof TryOnCompletedEvent]: TryOnCompletedEvent[Name];
};

/** Client that gets the image of a job: a `TryOn` of `@tryon/client`. */
export interface ImageSource<Image, Options> {
  /** Jobs of the API key. */
  readonly jobs: {
    /** Returns a job by its id, without a request. */
    resume(id: string): {
      /** Waits for the end of the job. */
      result(options?: Options): Promise<{
        /** Image of the job. */
        readonly image: Image;
      }>;
    };
  };
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
  return completedEvent(job_id, status, data);
}

/** Creates the event of a job from data of the service. */
export function completedEvent(
  job_id: string,
  status: TryOnCompletedEvent["status"],
  data: Readonly<Record<string, unknown>>,
): TryOnCompletedEvent {
  const fields = {
    event: "tryon.completed",
    job_id,
    status,
    result_url: status === "failed" ? null : textOrNull(data["result_url"]),
    error_code: textOrNull(data["error_code"]),
    error_message: textOrNull(data["error_message"]),
    // JSON.parse reads a number that is too large as Infinity.
    duration_ms: Number.isFinite(data["duration_ms"]) ? (data["duration_ms"] as number) : null,
    completed_at: textOrNull(data["completed_at"]),
  };
  const image: TryOnSucceededEvent["image"] = async (tryon, options) =>
    (await tryon.jobs.resume(job_id).result(options)).image;
  // Not enumerable: an event is plain data for JSON, queues and comparisons.
  if (status === "succeeded") Object.defineProperty(fields, "image", { value: image });
  // The status decides the type of the URL and whether there is a method.
  return fields as TryOnCompletedEvent;
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
