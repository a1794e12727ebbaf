import type { TryOnInput } from "./input.ts";
import { markField } from "./key-in-metadata.ts";

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
