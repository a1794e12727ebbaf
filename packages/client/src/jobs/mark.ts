import type { TryOnInput } from "./input.ts";
import type { JobData } from "./job-data.ts";

/** The field of the metadata that holds the idempotency key. */
const markField = "_tryon_key";
const mostMetadata = 8;

/** The input with its key in the metadata, so that its job can be known in the list; as it is, where there is no room. */
export function withMark(input: unknown, idempotencyKey: string): unknown {
  const fields = Object(input) as TryOnInput;
  const { metadata } = fields;
  // What is neither an object nor left out is for the checks of the input to refuse.
  if (metadata && (typeof metadata !== "object" || Array.isArray(metadata))) return input;
  const marked = { ...metadata, [markField]: idempotencyKey };
  return Object.keys(marked).length > mostMetadata ? input : { ...fields, metadata: marked };
}

/** The job as whoever submitted it knows it, and the key that it was marked with. */
export function readMark(data: JobData): { readonly job: JobData; readonly mark?: string } {
  const { [markField]: mark, ...metadata } = { ...data.metadata };
  if (typeof mark !== "string") return { job: data };
  const job = { ...data, metadata: Object.keys(metadata).length > 0 ? metadata : null };
  return { job, mark };
}
