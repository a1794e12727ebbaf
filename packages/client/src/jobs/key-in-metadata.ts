import type { JobData } from "./job-data.ts";

/** The field of the metadata that holds the idempotency key. */
export const markField = "_tryon_key";

/** The job as whoever submitted it knows it, and the key that it was marked with. */
export function readMark(data: JobData): { readonly job: JobData; readonly mark?: string } {
  const { [markField]: mark, ...metadata } = { ...data.metadata };
  if (typeof mark !== "string") return { job: data };
  const job = { ...data, metadata: Object.keys(metadata).length > 0 ? metadata : null };
  return { job, mark };
}
