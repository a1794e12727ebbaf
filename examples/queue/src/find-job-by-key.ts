import type { Job, TryOn } from "@tryon/client";

/** Maximum difference between the clocks of the workers and the service, in milliseconds. */
const maxClockSkew = 3_600_000;

/**
 * Searches the job list for a job that was submitted with `keyInMetadata`.
 *
 * @param since - Time of its first submission, in milliseconds since 1970. Older jobs are not searched.
 */
export async function findJobByKey(
  tryon: TryOn,
  idempotencyKey: string,
  since: number,
): Promise<Job | undefined> {
  for await (const job of tryon.jobs.list()) {
    if (job.idempotencyKey === idempotencyKey) return job;
    if (createdAt(job) < since - maxClockSkew) return undefined;
  }
  return undefined;
}

/** Returns the creation time in milliseconds since 1970. It is in UTC, with or without a zone. */
function createdAt({ data }: Job): number {
  const text = String(data.created_at);
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}
