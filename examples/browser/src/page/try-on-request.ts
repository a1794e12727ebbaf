import type { OutputSize, SavedJob, TryOnInput } from "@tryon/client";

/** Values of the form. */
export interface FormValues {
  readonly person: Blob;
  readonly garments: readonly Blob[];
  readonly size: OutputSize;
  readonly prompt: string;
}

/** Request with everything that is needed to send it again. */
export interface TryOnRequest extends FormValues {
  readonly idempotencyKey: string;
  /** Time of the first submission, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly job?: SavedJob;
}

const minute = 60_000;
/** Time for which the client assumes that the service remembers a key: its `idempotencyWindow`. */
const idempotencyWindow = 30 * minute;
/** Time for which the browser offers to resume a job. */
const maxAge = 24 * 60 * minute;

/** Returns true if the request can be sent again without making a second image. */
export function canResume({ job, startedAt }: TryOnRequest, now: number): boolean {
  return now - startedAt < (job === undefined ? idempotencyWindow : maxAge);
}

export function toInput({ person, garments, size, prompt }: FormValues): TryOnInput {
  return { person, garments, output_size: size, ...(prompt !== "" && { prompt }) };
}
