import { composeInstruction, type SubmissionFields } from "../service/submission.ts";
import { maskKey, maskText, maskValue } from "./masking.ts";

/** What a submission asked for. */
export interface JournalSubmission {
  /** The fields of the body that the service knows; of images in base64 only how long they were. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the model is told: the default instruction and the caller's words. */
  readonly instruction: string;
}

/** One call to the server. It holds neither keys nor images. */
export interface JournalEntry {
  /** When it came, in milliseconds since 1970 of the server's clock. */
  readonly at: number;
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** The query without its question mark. */
  readonly query: string;
  /** The key's prefix and its last four characters, such as `svc_live_…mock`; null where none was sent. */
  readonly apiKey: string | null;
  readonly idempotencyKey: string | null;
  /** The status of the answer; null while there is none, and when a fault broke the connection. */
  readonly status: number | null;
  /** How long the call took on the server's clock; null while it is under way. */
  readonly durationMs: number | null;
  /** The job that was submitted; null before there is one. */
  readonly jobId: string | null;
  /** Whether the answer was that of an earlier call under the same idempotency key. */
  readonly replayed: boolean;
  /** The faults that struck it. */
  readonly faultIds: readonly string[];
  /** What was submitted, once it has been read and found well-formed. */
  readonly submission: JournalSubmission | null;
}

/** An entry while its call goes on. */
export type OpenEntry = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] };

export function openEntry(request: Request, at: number): OpenEntry {
  const url = new URL(request.url);
  const authorization = request.headers.get("authorization");
  const idempotencyKey = request.headers.get("idempotency-key");
  return {
    at,
    method: request.method,
    path: maskText(url.pathname),
    query: maskText(url.search.slice(1)),
    apiKey: authorization === null ? null : maskKey(authorization.replace(/^bearer +/i, "")),
    idempotencyKey: idempotencyKey === null ? null : maskText(idempotencyKey),
    status: null,
    durationMs: null,
    jobId: null,
    replayed: false,
    faultIds: [],
    submission: null,
  };
}

/** The fields of a body that the service knows and that hold no image. */
const shownFields: readonly (keyof SubmissionFields)[] = [
  "person_url",
  "person",
  "model_url",
  "input_url",
  "garment_urls",
  "garments",
  "clothing",
  "items",
  "output_size",
  "resolution",
  "size",
  "prompt",
  "style_hint",
  "negative_prompt",
  "wait",
  "mode",
  "webhook_url",
  "metadata",
  "seed",
];

export function journalSubmission(fields: SubmissionFields): JournalSubmission {
  const shown: Record<string, unknown> = {};
  for (const name of shownFields) {
    if (fields[name] !== undefined) shown[name] = maskValue(fields[name]);
  }
  const { person_image_b64: person, garment_images_b64: garments } = fields;
  if (person) shown["person_image_b64"] = lengthOf(person);
  if (garments !== undefined) shown["garment_images_b64"] = garments.map(lengthOf);
  return { fields: shown, instruction: maskText(composeInstruction(fields)) };
}

function lengthOf(base64: string): string {
  return `<${base64.length} characters>`;
}
