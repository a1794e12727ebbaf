import type { Probe } from "../check.ts";
import { ownKey, setNextJob } from "../checks/jobs/job-run.ts";
import { must } from "../outcome.ts";
import { jobIdOf } from "../submission.ts";
import type { Session } from "../session.ts";
import { fieldsOf, type HttpResponse } from "../wire/response.ts";
import { instantOf } from "../wire/instant.ts";

/** How many jobs are submitted at once to see whether some have to wait: more than are usually run at a time. */
const crowd = 12;

/** How long each of them takes, in milliseconds. */
const each = 3_000;

export const jobTimeProbes: readonly Probe[] = [
  {
    id: "observed.timeFormat",
    option: "timeFormat",
    title: "How times are written",
    rules: ["job.completed-at.form"],
    level: "safe",
    on: "any",
    credits: 8,
    async observe(session) {
      const answer = await session.whole();
      const { completed_at: time } = fieldsOf(answer.json);
      must(typeof time === "string", "A job that has ended has no completed_at.", answer);
      if (time.endsWith("Z")) return "Z";
      return /[+-]\d\d:\d\d$/.test(time) ? "offset" : "naive";
    },
  },
  {
    id: "observed.reportQueued",
    option: "reportQueued",
    title: "Whether jobs that have to wait are shown as queued",
    rules: ["states.queued.returned"],
    level: "safe",
    on: "test",
    credits: 0,
    async observe(session) {
      const { submitted, ended } = await submitCrowd(session);
      if (submitted.some(isQueued)) return true;
      const ends = ended.map((answer) => instantOf(fieldsOf(answer.json)["completed_at"]) ?? 0);
      // Jobs that began together and did not end together had to wait for each other.
      const waited = Math.max(...ends) - Math.min(...ends) >= each - 1_000;
      const telling = waited && session.bench.control !== undefined && session.time.virtual;
      return telling ? false : undefined;
    },
  },
  {
    id: "observed.syncCut",
    option: "syncCut",
    title: "Whether a proxy ends a held call before its 90 seconds are over",
    rules: ["states.sync.cut-short"],
    level: "full",
    on: "any",
    credits: 8,
    async observe(session) {
      const key = await ownKey(session);
      const duration = 85_000;
      await setNextJob(session, key, { outcome: "succeeded", duration_ms: duration });
      const idempotencyKey = session.unique("held");
      const from = session.time.now();
      const call = session.submit({ wait: true }, { key, idempotencyKey });
      const answer = await session.passing(call, idempotencyKey, 3_000);
      const took = session.time.now() - from;
      // The job is not left behind in the way of others.
      if (session.time.virtual && took < duration) await session.time.pass(duration - took);
      const type = answer.headers.get("content-type") ?? "";
      if (answer.status === 504 && type.startsWith("text/html")) return 30;
      return answer.status === 200 && took >= duration - 1_500 ? "off" : undefined;
    },
  },
];

function isQueued({ json }: HttpResponse): boolean {
  return fieldsOf(json)["status"] === "queued";
}

/** Submits more jobs at once than may be run at a time, and waits for their ends. */
async function submitCrowd(
  session: Session,
): Promise<{ submitted: readonly HttpResponse[]; ended: readonly HttpResponse[] }> {
  const key = await ownKey(session);
  const { control } = session.bench;
  const submitted: HttpResponse[] = [];
  const ended: HttpResponse[] = [];
  for (let index = 0; index < crowd; index += 1) {
    if (control !== undefined) {
      await setNextJob(session, key, { outcome: "succeeded", duration_ms: each });
    }
    submitted.push(await session.submit({}, { key }));
  }
  for (const answer of submitted) ended.push(await session.end(jobIdOf(answer), { key }));
  return { submitted, ended };
}
