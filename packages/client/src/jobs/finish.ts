import type { TryOnResult } from "../types/job.ts";
import { JobFailedError } from "../errors/job-errors.ts";
import { JobImage } from "../images/job-image.ts";
import type { Deadline } from "../http/deadline.ts";
import { isFinal } from "./job-data.ts";
import type { JobRecord } from "./job-record.ts";
import type { Notify } from "./updates.ts";
import { learnSyncRunTime, poll, startWait } from "./wait.ts";

/** Waits for the end of a job and returns the result. Throws `job_failed` and `wait_timed_out`. */
export async function finish(
  record: JobRecord,
  deadline: Deadline,
  notify: Notify,
): Promise<TryOnResult> {
  const { id, job, attempts, timeline } = record;
  const update = (phase: "waiting" | "succeeded" | "failed"): void => {
    const at = deadline.clock.now();
    if (timeline.at(-1)?.phase !== phase) timeline.push({ phase, at });
    notify({ phase, job });
  };
  const wait = startWait(record);
  for (;;) {
    const { status } = record.data;
    if (isFinal(status) && !record.unseen) {
      if (wait.polls === 0) learnSyncRunTime(record, wait);
      update(status);
      if (status === "failed") throw new JobFailedError(job, { attempts });
      break;
    }
    deadline.throwIfAborted();
    if (!record.unseen) update("waiting");
    await poll(record, wait, deadline);
  }
  return {
    job,
    image: new JobImage(record),
    receipt: {
      jobId: id,
      requestId: record.requestId,
      idempotencyKey: record.idempotencyKey,
      credits: finite(record.data.cost_credits),
      balance: finite(record.balance),
      attempts,
      timeline,
    },
  };
}

/** Returns the number, or undefined if the service sent none. */
function finite(value: number | null | undefined): number | undefined {
  return Number.isFinite(value) ? (value ?? undefined) : undefined;
}
