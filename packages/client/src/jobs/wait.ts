import type { CallOptions } from "../types/call-options.ts";
import type { JobData } from "../types/job.ts";
import { milliseconds } from "../config/duration.ts";
import type { Deadline } from "../http/deadline.ts";
import { isFinal } from "./job-data.ts";
import type { JobRecord } from "./job-record.ts";
import { testKind } from "./run-times.ts";
import type { PendingWait } from "./pending-wait.ts";

/** Duration of a submission from which it was synchronous or was retried, in milliseconds. */
const longSubmission = 15_000;

/** Starts a wait for a job. */
export function startWait({
  id,
  unseen,
  knownAt,
  config,
  attempts,
  data,
  size,
}: JobRecord): PendingWait {
  const knownSince = unseen ? config.clock.now() : knownAt;
  const sentAt = attempts[0]?.startedAt ?? knownSince;
  const since = knownSince - sentAt > longSubmission ? sentAt : knownSince;
  const kinds = [data.test_mode && testKind, size, data.cost_credits].filter(Boolean).map(String);
  return {
    id,
    unseen,
    since,
    knownSince,
    kinds,
    polls: 0,
    pollById: undefined,
    failure: undefined,
  };
}

/** Learns the run time of a job from a synchronous submission. */
export function learnSyncRunTime(record: JobRecord, { kinds }: PendingWait): void {
  const { attempts, timeline, unseen, context } = record;
  const [only] = attempts;
  // A retried submission may have ended before, and a second wait for the same job says nothing.
  if (attempts.length !== 1 || !only || unseen || timeline.length !== 1) return;
  context.jobPoller.runTimes.learn(kinds, only.duration);
}

/** Waits for the next poll of a job. */
export async function poll(
  record: JobRecord,
  wait: PendingWait,
  deadline: Deadline,
): Promise<void> {
  const polled = record.context.jobPoller.next(wait, deadline);
  record.update(await record.keepOnErrors(deadline, polled, wait));
}

/** Yields the data of a job now, and after each poll until it has ended. */
export async function* updates(
  record: JobRecord,
  options: CallOptions,
): AsyncGenerator<JobData, void, undefined> {
  const { clock, timeout } = record.config;
  const endsAt = clock.now() + milliseconds(options.timeout ?? timeout, "timeout");
  const wait = startWait(record);
  if (!record.unseen) yield record.data;
  while (record.unseen || !isFinal(record.data.status)) {
    // One deadline per poll: a loop that stops in between keeps no timer and no listener.
    const left = { ...options, timeout: Math.max(1, endsAt - clock.now()) };
    await record.within(left, (deadline) => poll(record, wait, deadline));
    yield record.data;
  }
}
