import { probeGroup, type Probe } from "../check.ts";
import { failedJob } from "../checks/billing/credits.ts";
import { isNone, mustHaveStatus } from "../checks/expectations.ts";
import {
  finished,
  idsOf,
  pageOf,
  resultUrlOf,
  runJob,
  runNewJob,
  startAndList,
  keysOfOtherAccounts,
  submitLong,
} from "../checks/jobs/job-run.ts";
import { withSignatureChanged } from "../checks/jobs/result-urls.ts";
import { must, need } from "../outcome.ts";
import type { Session } from "../session.ts";
import { jobIdOf } from "../submission.ts";
import { instantOf } from "../wire/instant.ts";
import { fieldsOf, type HttpResponse } from "../wire/response.ts";

/** Number of jobs submitted at once: more than a deployment usually runs at once. */
const jobCount = 12;

/** Duration of each of them, in milliseconds. */
const jobDuration = 3_000;

/** Duration of a synchronous request, in milliseconds. */
const syncDuration = 85_000;

const probes = probeGroup(8, {
  timeFormat: {
    title: "Form of times",
    async observe(session) {
      const { ended: response } = await runJob(session);
      const { completed_at: time } = fieldsOf(response.json);
      must(typeof time === "string", "A job that has ended has no completed_at.", response);
      if (time.endsWith("Z")) return "Z";
      return /[+-]\d\d:\d\d$/.test(time) ? "offset" : "naive";
    },
  },
  reportQueued: {
    title: "Status queued of jobs that wait",
    on: "test",
    async observe(session) {
      const { submitted, ended } = await submitMany(session);
      if (submitted.some(({ json }) => fieldsOf(json)["status"] === "queued")) return true;
      const ends = ended.map(({ json }) => instantOf(fieldsOf(json)["completed_at"]) ?? 0);
      // Jobs of the same duration that end at different times have waited.
      const waited = Math.max(...ends) - Math.min(...ends) >= jobDuration - 1_000;
      const isKnown = waited && session.hasControl && session.time.virtual;
      return isKnown ? false : undefined;
    },
  },
  syncCut: {
    title: "Proxy timeout of synchronous requests before 90 seconds",
    level: "full",
    async observe(session) {
      const { response, took } = await submitLong(session, syncDuration);
      const { status, headers } = response;
      if (status === 504 && (headers.get("content-type") ?? "").startsWith("text/html")) return 30;
      return status === 200 && took >= syncDuration - 1_500 ? "off" : undefined;
    },
  },
  maxLimit: {
    title: "Maximum number of jobs on a page of the list",
    credits: 0,
    async observe(session) {
      const accepts = async (limit: number): Promise<boolean> => {
        return (await session.list({ limit: String(limit) })).status === 200;
      };
      for (const max of [100, 50]) {
        if (!(await accepts(max))) continue;
        return (await accepts(max + 1)) ? maxPageSize(session) : max;
      }
      return undefined;
    },
  },
  limitBounds: {
    title: "Response to a limit of 0",
    credits: 0,
    async observe(session) {
      const { status } = await session.list({ limit: "0" });
      if (status === 400 || status === 422) return "refuse";
      return status === 200 ? "clamp" : undefined;
    },
  },
  unknownCursor: {
    title: "Response to an unknown cursor",
    async observe(session) {
      await startAndList(session, 1);
      const response = await session.list({ cursor: session.unknownJobId() });
      if (response.status === 400 || response.status === 422) return response.status;
      return response.status === 200 && idsOf(response).length === 0 ? "empty" : undefined;
    },
  },
  foreignJob: {
    title: "Status of a poll of a job of another key",
    async observe(session) {
      const [stranger] = keysOfOtherAccounts(session);
      const jobId = await session.start();
      await session.pollVisible(jobId);
      const { status } = await session.poll(jobId, { key: stranger ?? null });
      return status === 404 || status === 403 ? status : undefined;
    },
  },
  errorCodes: {
    title: "Value of error_code after a failure to store the result",
    async observe(session) {
      const job = await failedJob(session, "storage_failed");
      const { error_code: code } = fieldsOf(job.json);
      if (typeof code !== "string") return undefined;
      return code === "generation_failed" ? code : "cause";
    },
  },
  filterName: {
    title: "Names of the status filter of the list",
    async observe(session) {
      const { jobId } = await finished(session, {}, runNewJob);
      const lists = async (query: Readonly<Record<string, string>>): Promise<boolean> => {
        const page = await pageOf(session, { limit: "50", ...query });
        return idsOf(page).includes(jobId);
      };
      if (!(await lists({}))) return undefined;
      const long = !(await lists({ status_filter: "failed" }));
      const short = !(await lists({ status: "failed" }));
      must(long || short, "Neither status_filter nor status filters the list.");
      return long && short ? "both" : long ? "status_filter" : "status";
    },
  },
  readLag: {
    title: "Time until reads have a new job",
    credits: 24,
    async observe(session) {
      let isLate = false;
      for (let round = 0; round < 3 && !isLate; round += 1) {
        const jobId = await session.start();
        const { status } = await session.poll(jobId);
        isLate = status === 404 || !idsOf(await pageOf(session)).includes(jobId);
        await session.pollVisible(jobId);
      }
      return isLate ? 800 : 0;
    },
  },
  sparseSubmit: {
    title: "Response to a submission with its documented fields alone",
    async observe(session) {
      const response = await session.submit({ seed: 1, metadata: { sku: "A" } });
      mustHaveStatus(response, 200, "a good submission");
      const names = ["cost_credits", "seed", "metadata"];
      if (session.key.kind === "test") names.push("test_mode");
      const omitted = names.filter((name) => fieldsOf(response.json)[name] === undefined);
      const isMixed = omitted.length > 0 && omitted.length < names.length;
      must(!isMixed, `The response to a submission omits only ${omitted.join(", ")}.`, response);
      return omitted.length > 0;
    },
  },
  inventSeed: {
    title: "Seed of a job that was submitted without one",
    async observe(session) {
      const { response } = await finished(session);
      return !isNone(fieldsOf(response.json)["seed"]);
    },
  },
  expiredStatus: {
    title: "Status of a result_url that has expired or has a wrong signature",
    async observe(session) {
      const { response } = await finished(session);
      const changed = withSignatureChanged(resultUrlOf(response));
      need(changed !== undefined, "result_url has no signature parameter.");
      const { status } = await session.request("GET", changed, { key: null });
      return status === 403 || status === 400 ? status : undefined;
    },
  },
  resultsOrigin: {
    title: "Origin of results",
    async observe(session) {
      const { response } = await finished(session);
      const { origin } = new URL(resultUrlOf(response));
      return origin === new URL(session.context.baseUrl).origin ? "same" : "other";
    },
  },
});

/** Open points of jobs, the list and results. Each probe uses a separate key. */
export const jobProbes: readonly Probe[] = probes.map((probe) => ({ ...probe, ownKey: true }));

/** Finds the maximum page size where larger limits are reduced to it. It takes more jobs than a page has. */
async function maxPageSize(session: Session): Promise<number | undefined> {
  if (!session.hasControl) return undefined;
  for (let job = 0; job <= 100; job += 1) await session.start();
  await session.time.pass(1_000);
  const { length } = idsOf(await pageOf(session, { limit: "1000" }));
  return length === 100 || length === 50 ? length : undefined;
}

/** Submits more jobs at once than a deployment runs at once, and waits for their ends. */
async function submitMany(session: Session) {
  const submitted: HttpResponse[] = [];
  const ended: HttpResponse[] = [];
  for (let index = 0; index < jobCount; index += 1) {
    await session.slowNextJob(jobDuration);
    submitted.push(await session.submit());
  }
  for (const response of submitted) ended.push(await session.waitForEnd(jobIdOf(response)));
  return { submitted, ended };
}
