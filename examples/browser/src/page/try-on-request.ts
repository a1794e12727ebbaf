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
/** Timeout of a submission, in milliseconds. */
export const submitTimeout = 5 * minute;
/** Time for which the browser offers to resume a job. */
const maxAge = 24 * 60 * minute;

/**
 * Returns true if the request can be sent again without making a second image.
 *
 * @param idempotencyWindow - Time within which a submission has to end: after it, the service may have forgotten the key.
 */
export function canResume(
  { job, startedAt }: TryOnRequest,
  now: number,
  idempotencyWindow: number,
): boolean {
  return now - startedAt < (job === undefined ? idempotencyWindow - submitTimeout : maxAge);
}

export function toInput({ person, garments, size, prompt }: FormValues): TryOnInput {
  return { person, garments, output_size: size, ...(prompt !== "" && { prompt }) };
}
