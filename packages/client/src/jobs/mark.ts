import type { TryOnInput } from "./input.ts";
import type { JobData } from "./job-data.ts";

/** The field of the metadata that holds the idempotency key. */
const markField = "_tryon_key";
const mostMetadata = 8;

/** The input with its key in the metadata, so that its job can be known in the list; as it is, where there is no room. */
export function withMark(input: TryOnInput, idempotencyKey: string): TryOnInput {
  const { metadata } = Object(input) as TryOnInput;
  // What is neither an object nor left out is for the checks of the input to refuse.
  if (metadata && (typeof metadata !== "object" || Array.isArray(metadata))) return input;
  const marked = { ...metadata, [markField]: idempotencyKey };
  return Object.keys(marked).length > mostMetadata ? input : { ...input, metadata: marked };
}

/** The key that a job was marked with. */
export function markOf({ metadata }: JobData): string | undefined {
  const mark = metadata?.[markField];
  return typeof mark === "string" ? mark : undefined;
}

/** The job without its mark, as whoever submitted it knows it. */
export function withoutMark(data: JobData): JobData {
  const { [markField]: mark, ...metadata } = { ...data.metadata };
  if (mark === undefined) return data;
  return { ...data, metadata: Object.keys(metadata).length > 0 ? metadata : null };
}
