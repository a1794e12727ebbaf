import { JobFailedError } from "../errors/job-failed-error.ts";
import { ResultImage } from "../images/result-image.ts";
import type { Deadline } from "../http/deadline.ts";
import { isFinal } from "./job-data.ts";
import type { JobLife } from "./job-record.ts";
import type { TryOnResult } from "./result.ts";
import type { Notify } from "./updates.ts";
import { learnHeld, look, startWatch } from "./wait.ts";

/** Waits for the end of a job and gives the result, or throws how it failed. */
export async function finish(
  life: JobLife,
  deadline: Deadline,
  notify: Notify,
): Promise<TryOnResult> {
  const { id, job, attempts, timeline } = life;
  const tell = (phase: "waiting" | "succeeded" | "failed"): void => {
    const at = deadline.clock.now();
    if (timeline.at(-1)?.phase !== phase) timeline.push({ phase, at });
    notify({ phase, job });
  };
  const watch = startWatch(life);
  for (;;) {
    const { status } = life.data;
    if (isFinal(status) && !life.unseen) {
      if (watch.looks === 0) learnHeld(life, watch);
      tell(status);
      if (status === "failed") throw new JobFailedError(job, { attempts });
      break;
    }
    deadline.throwIfAborted();
    if (!life.unseen) tell("waiting");
    await look(life, watch, deadline);
  }
  return {
    job,
    image: new ResultImage(life),
    receipt: {
      jobId: id,
      requestId: life.requestId,
      idempotencyKey: life.idempotencyKey,
      credits: finite(life.data.cost_credits),
      balance: finite(life.balance),
      attempts,
      timeline,
    },
  };
}

/** A number, where the service has said one. */
function finite(value: number | null | undefined): number | undefined {
  return Number.isFinite(value) ? (value ?? undefined) : undefined;
}
