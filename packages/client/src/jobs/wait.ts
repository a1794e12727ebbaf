import { milliseconds } from "../duration.ts";
import type { CallOptions } from "../options.ts";
import type { Deadline } from "../transport/deadline.ts";
import { isFinal, type JobData } from "./job-data.ts";
import type { JobLife } from "./job-life.ts";
import { Poller, type Watch } from "./watcher.ts";

/** Starts a wait for a job. */
export function startWatch({ id, unseen, knownAt, settings }: JobLife): Watch {
  const since = unseen ? settings.clock.now() : knownAt;
  return { id, unseen, since, looks: 0, failure: undefined };
}

/** Takes the next look of a wait. */
export async function look(life: JobLife, watch: Watch, deadline: Deadline): Promise<void> {
  const { parts } = life;
  const watcher = (parts.watcher ??= new Poller(parts.service));
  life.learn(await life.keep(deadline, watcher.next(watch, deadline), watch));
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
  if (!watch.unseen || isFinal(life.data.status)) yield life.data;
  while (!isFinal(life.data.status)) {
    // One for each look: a loop that is left standing keeps no timer and no listener.
    const left = { ...options, timeout: Math.max(1, endsAt - clock.now()) };
    await life.within(left, (deadline) => look(life, watch, deadline));
    yield life.data;
  }
}
