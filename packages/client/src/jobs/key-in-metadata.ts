import type { JobData } from "../types/job.ts";
import type { TryOnInput } from "../types/try-on-input.ts";
import { maxMetadataKeys } from "./check-fields.ts";

/** Metadata field with the idempotency key. */
const keyField = "_tryon_key";

/** Returns the input with the key in its metadata, or the same input if its metadata is full. */
export function addKeyToMetadata(input: unknown, idempotencyKey: string): unknown {
  const fields = Object(input) as TryOnInput;
  const { person, garments, metadata } = fields;
  // Validation rejects any other value.
  if (metadata && (typeof metadata !== "object" || Array.isArray(metadata))) return input;
  const withKey = { ...metadata, [keyField]: idempotencyKey };
  if (Object.keys(withKey).length > maxMetadataKeys) return input;
  // An input of a class may inherit the images.
  return { person, garments, ...fields, metadata: withKey };
}

/** Returns the job without the key in its metadata, and the key. */
export function takeKeyFromMetadata(data: JobData): { job: JobData; idempotencyKey?: string } {
  const { [keyField]: idempotencyKey, ...metadata } = { ...data.metadata };
  if (typeof idempotencyKey !== "string") return { job: data };
  const job = { ...data, metadata: Object.keys(metadata).length > 0 ? metadata : null };
  return { job, idempotencyKey };
}
