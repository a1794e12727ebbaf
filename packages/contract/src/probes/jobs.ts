import { probeGroup } from "../check.ts";
import { isNone, mustHaveStatus } from "../checks/expectations.ts";
import {
  fetchResult,
  finished,
  idsOf,
  mustBeText,
  ownKey,
  pageOf,
  pollVisible,
  setNextJob,
} from "../checks/jobs/job-run.ts";
import { withSignatureChanged } from "../checks/jobs/result-urls.ts";
import { must, SkipCheck } from "../outcome.ts";
import type { Session } from "../session.ts";
import { jobIdOf } from "../submission.ts";
import { instantOf } from "../wire/instant.ts";
import { fieldsOf, type HttpResponse } from "../wire/response.ts";

/** Number of jobs submitted at once: more than a deployment usually runs at once. */
const crowd = 12;

/** Duration of each of them, in milliseconds. */
const jobDuration = 3_000;

/** Duration of a synchronous request, in milliseconds. */
const syncDuration = 85_000;

/** Open points of jobs, the list and results. */
export const jobProbes = probeGroup({ level: "safe", on: "any", credits: 8 }, [
  {
    option: "timeFormat",
    title: "Form of times",
    rules: ["job.completed-at.form"],
    async observe(session) {
      const response = await session.submitAndWait();
      const { completed_at: time } = fieldsOf(response.json);
      must(typeof time === "string", "A job that has ended has no completed_at.", response);
      if (time.endsWith("Z")) return "Z";
      return /[+-]\d\d:\d\d$/.test(time) ? "offset" : "naive";
    },
  },
  {
    option: "reportQueued",
    title: "Status queued of jobs that wait",
    rules: ["states.queued.returned"],
    on: "test",
    credits: 0,
    async observe(session) {
      const { submitted, ended } = await submitCrowd(session);
      if (submitted.some(({ json }) => fieldsOf(json)["status"] === "queued")) return true;
      const ends = ended.map(({ json }) => instantOf(fieldsOf(json)["completed_at"]) ?? 0);
      // Jobs of the same duration that end at different times have waited.
      const waited = Math.max(...ends) - Math.min(...ends) >= jobDuration - 1_000;
      const isKnown = waited && session.context.control !== undefined && session.time.virtual;
      return isKnown ? false : undefined;
    },
  },
  {
    option: "syncCut",
    title: "Proxy timeout of synchronous requests before 90 seconds",
    rules: ["states.sync.cut-short"],
    level: "full",
    async observe(session) {
      const key = await ownKey(session);
      await setNextJob(session, key, { outcome: "succeeded", duration_ms: syncDuration });
      const idempotencyKey = session.unique("sync");
      const from = session.time.now();
      const request = session.submit({ wait: true }, { key, idempotencyKey });
      const { status, headers } = await session.passUntilSettled(request, idempotencyKey, 3_000);
      const duration = session.time.now() - from;
      // The job must not delay those of other checks.
      if (session.time.virtual && duration < syncDuration) {
        await session.time.pass(syncDuration - duration);
      }
      if (status === 504 && (headers.get("content-type") ?? "").startsWith("text/html")) return 30;
      return status === 200 && duration >= syncDuration - 1_500 ? "off" : undefined;
    },
  },
  {
    option: "maxLimit",
    title: "Maximum number of jobs on a page of the list",
    rules: ["list.limit.bounds"],
    credits: 0,
    async observe(session) {
      const accepts = async (limit: number): Promise<boolean> => {
        const query = { limit: String(limit) };
        return (await session.request("GET", "/api/v1/tryon", { query })).status === 200;
      };
      for (const max of [100, 50]) {
        // A deployment may also reduce a limit over its maximum.
        if (await accepts(max)) return (await accepts(max + 1)) ? undefined : max;
      }
      return undefined;
    },
  },
  {
    option: "filterName",
    title: "Names of the status filter of the list",
    rules: ["list.status-filter.name"],
    async observe(session) {
      const { key, jobId } = await finished(session);
      const lists = async (query: Readonly<Record<string, string>>): Promise<boolean> => {
        const page = await pageOf(session, key, { limit: "50", ...query });
        return idsOf(page).includes(jobId);
      };
      if (!(await lists({}))) return undefined;
      const long = !(await lists({ status_filter: "failed" }));
      const short = !(await lists({ status: "failed" }));
      must(long || short, "Neither status_filter nor status filters the list.");
      return long && short ? "both" : long ? "status_filter" : "status";
    },
  },
  {
    option: "readLag",
    title: "Time until reads have a new job",
    rules: ["poll.fresh-job.visible"],
    credits: 24,
    async observe(session) {
      const key = await ownKey(session);
      let isLate = false;
      for (let round = 0; round < 3 && !isLate; round += 1) {
        const jobId = await session.start({}, { key });
        const { status } = await session.poll(jobId, { key });
        isLate = status === 404 || !idsOf(await pageOf(session, key)).includes(jobId);
        await pollVisible(session, jobId, key);
      }
      return isLate ? 800 : 0;
    },
  },
  {
    option: "sparseSubmit",
    title: "Response to a submission with its documented fields alone",
    rules: ["submit.shape.cost-credits"],
    async observe(session) {
      const response = await session.submit({}, { key: await ownKey(session) });
      mustHaveStatus(response, 200, "a good submission");
      return fieldsOf(response.json)["cost_credits"] === undefined;
    },
  },
  {
    option: "inventSeed",
    title: "Seed of a job that was submitted without one",
    rules: ["submit-response.seed.not-given"],
    async observe(session) {
      return !isNone((await finished(session)).job["seed"]);
    },
  },
  {
    option: "expiredStatus",
    title: "Status of a result_url that has expired or has a wrong signature",
    rules: ["job.result-url.expired-answer"],
    async observe(session) {
      const { job } = await finished(session);
      const changed = withSignatureChanged(mustBeText(job["result_url"]));
      if (changed === undefined) throw new SkipCheck("result_url has no signature parameter.");
      const { status } = await fetchResult(session, changed);
      return status === 403 || status === 400 ? status : undefined;
    },
  },
  {
    option: "resultsOrigin",
    title: "Origin of results",
    rules: ["job.result-url.origin"],
    async observe(session) {
      const { job } = await finished(session);
      const { origin } = new URL(mustBeText(job["result_url"]));
      return origin === new URL(session.context.baseUrl).origin ? "same" : "other";
    },
  },
]);

/** Submits more jobs at once than a deployment runs at once, and waits for their ends. */
async function submitCrowd(session: Session) {
  const key = await ownKey(session);
  const submitted: HttpResponse[] = [];
  const ended: HttpResponse[] = [];
  for (let index = 0; index < crowd; index += 1) {
    if (session.context.control !== undefined) {
      await setNextJob(session, key, { outcome: "succeeded", duration_ms: jobDuration });
    }
    submitted.push(await session.submit({}, { key }));
  }
  for (const response of submitted)
    ended.push(await session.waitForEnd(jobIdOf(response), { key }));
  return { submitted, ended };
}
