import { composeInstruction, type SubmissionFields } from "../service/submission.ts";
import type { HttpRequest } from "../http/message.ts";
import { lengthOf, maskKey, maskText, maskValue } from "./masking.ts";

/** Submission of a request. */
export interface JournalSubmission {
  /** Known fields of the body; images in base64 are replaced by their length. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Instruction for the model: the default instruction and the caller's prompt. */
  readonly instruction: string;
}

/** Reason why a request was refused. */
export interface Refusal {
  /** Rule of the service that the request broke, such as `submit.402.too-few-credits`; null if none is known. */
  readonly rule: string | null;
  /** Reason in the response, at most 300 characters. */
  readonly detail: string;
}

/** A request to the server, without keys and images. */
export interface JournalEntry {
  /** Number of the request since the start or the last reset, such as `req_1`. */
  readonly id: string;
  /** Time of arrival, in milliseconds since 1970 of the server's clock. */
  readonly at: number;
  /** HTTP method in capitals, such as `POST`. */
  readonly method: string;
  /** Path without its query. */
  readonly path: string;
  /** Query without its question mark. */
  readonly query: string;
  /** Prefix and last four characters of the key, such as `svc_live_…mock`; null without a key. */
  readonly apiKey: string | null;
  /** Value of the `Idempotency-Key` header, or null without it. */
  readonly idempotencyKey: string | null;
  /** Status of the response; null before it, and after a fault broke the connection. */
  readonly status: number | null;
  /** Duration on the server's clock; null while the request is in progress. */
  readonly durationMs: number | null;
  /** Job of the submission; null before it exists. */
  readonly jobId: string | null;
  /** If true, the response repeats that of an earlier request under the same idempotency key. */
  readonly replayed: boolean;
  /** Null without an error response, and for one without a known reason. */
  readonly refusal: Refusal | null;
  /** Faults that were applied. */
  readonly faultIds: readonly string[];
  /** Submission, if its body is well-formed. */
  readonly submission: JournalSubmission | null;
}

export type OpenEntry = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] };

export function openEntry(id: string, request: HttpRequest, at: number): OpenEntry {
  const authorization = request.headers.get("authorization");
  const idempotencyKey = request.headers.get("idempotency-key");
  return {
    id,
    at,
    method: request.method,
    path: maskText(request.path),
    query: maskText(request.search.slice(1)),
    apiKey: authorization === null ? null : maskKey(authorization.replace(/^bearer +/i, "")),
    idempotencyKey: idempotencyKey === null ? null : maskText(idempotencyKey),
    status: null,
    durationMs: null,
    jobId: null,
    replayed: false,
    refusal: null,
    faultIds: [],
    submission: null,
  };
}

export function journalSubmission(fields: SubmissionFields): JournalSubmission {
  const { person_image_b64: person, garment_images_b64: garments, ...plain } = fields;
  const images = {
    ...(person && { person_image_b64: lengthOf(person) }),
    ...(garments && { garment_images_b64: garments.map(lengthOf) }),
  };
  const masked = Object.entries(plain).map(([name, value]) => [name, maskValue(value)]);
  return {
    fields: { ...Object.fromEntries(masked), ...images },
    instruction: maskText(composeInstruction(fields)),
  };
}
