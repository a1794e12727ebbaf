import type { Job, TryOn } from "@tryon/client";

/** How far the clocks of workers and service may be apart, in milliseconds. */
const skew = 3_600_000;

/** Looks for the job that was submitted with a mark, by its key, at some time in milliseconds since 1970 or later. */
export async function findMarked(
  tryon: TryOn,
  idempotencyKey: string,
  since: number,
): Promise<Job | undefined> {
  for await (const job of tryon.jobs.list()) {
    if (job.idempotencyKey === idempotencyKey) return job;
    if (timeOf(job) < since - skew) return undefined;
  }
  return undefined;
}

/** When a job was made, in milliseconds since 1970: its time is UTC, also where the service leaves out the zone. */
function timeOf({ data }: Job): number {
  const text = String(data.created_at);
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}
