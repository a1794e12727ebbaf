import { milliseconds } from "../config/duration.ts";
import type { CallOptions } from "../config/options.ts";
import type { Deadline } from "../http/deadline.ts";
import { isFinal, type JobData } from "./job-data.ts";
import type { JobLife } from "./job-record.ts";
import { testKind } from "./run-times.ts";
import type { Watch } from "./pending-wait.ts";
import { Watcher } from "./job-poller.ts";

/** What took longer to submit than this was held, or asked for again. In milliseconds. */
const longSubmission = 15_000;

/** Starts a wait for a job. */
export function startWatch({
  id,
  unseen,
  knownAt,
  settings,
  attempts,
  data,
  size,
}: JobLife): Watch {
  const knownSince = unseen ? settings.clock.now() : knownAt;
  const sentAt = attempts[0]?.startedAt ?? knownSince;
  const since = knownSince - sentAt > longSubmission ? sentAt : knownSince;
  const kinds = [data.test_mode && testKind, size, data.cost_credits].filter(Boolean).map(String);
  return { id, unseen, since, knownSince, kinds, looks: 0, byId: undefined, failure: undefined };
}

/** The watcher of the client that a job belongs to. */
function watcherOf({ parts }: JobLife): Watcher {
  return (parts.watcher ??= new Watcher(parts.service));
}

/** Learns how long a job has run whose submission was answered at its end. */
export function learnHeld(life: JobLife, { kinds }: Watch): void {
  const { attempts, timeline, unseen } = life;
  const [only] = attempts;
  // What was asked for again may have ended before; and a result that is asked for again is no second job.
  if (attempts.length !== 1 || !only || unseen || timeline.length !== 1) return;
  watcherOf(life).runTimes.learn(kinds, only.duration);
}

/** Takes the next look of a wait. */
export async function look(life: JobLife, watch: Watch, deadline: Deadline): Promise<void> {
  life.learn(await life.keep(deadline, watcherOf(life).next(watch, deadline), watch));
}

/** The job as it is now, and again after each look; a loop that is begun at `since` gets all of its time from there. */
export async function* updates(
  life: JobLife,
  options: CallOptions,
  since: number,
): AsyncGenerator<JobData, void, undefined> {
  const { clock, timeout } = life.settings;
  const endsAt = since + milliseconds(options.timeout ?? timeout, "timeout");
  const watch = startWatch(life);
  if (!life.unseen) yield life.data;
  while (life.unseen || !isFinal(life.data.status)) {
    // One for each look: a loop that is left standing keeps no timer and no listener.
    const left = { ...options, timeout: Math.max(1, endsAt - clock.now()) };
    await life.within(left, (deadline) => look(life, watch, deadline));
    yield life.data;
  }
}
