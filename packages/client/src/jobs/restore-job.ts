import { isJobId } from "../api/api.ts";
import { InputError } from "../errors/refusal-errors.ts";
import type { SavedJob } from "../types/job.ts";
import type { JobContexts } from "./client-context.ts";
import { JobRecord } from "./job-record.ts";

/**
 * Creates a job from an id or from its parsed JSON.
 *
 * @param trustsEnd - If true, the end of a job needs no confirmation by the service.
 */
export function restoreJob(
  contexts: JobContexts,
  saved: string | SavedJob,
  field = "id",
  trustsEnd = false,
): JobRecord {
  const {
    version = 1,
    id,
    idempotencyKey,
    apiKeyFingerprint: fingerprint,
    data,
  } = typeof saved === "string" ? { id: saved } : (Object(saved) as SavedJob);
  checkId(id, field);
  if (version > 1) {
    throw new InputError(field, "was saved by a newer release", {
      hint: "Update @tryon/client.",
    });
  }
  const isKnown = data?.job_id === id && typeof data.status === "string";
  const { result_url: _signed, ...known } = isKnown ? data : { job_id: id, status: "queued" };
  return new JobRecord(contexts, known, { idempotencyKey, fingerprint, trustsEnd });
}

export function checkId(id: unknown, field = "id"): asserts id is string {
  if (isJobId(id)) return;
  throw new InputError(field, "is not the id of a job", {
    hint: 'It is "job_" and letters and digits.',
  });
}
