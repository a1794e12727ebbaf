import type { Probe } from "../check.ts";
import { isNone } from "../checks/expectations.ts";
import {
  fetchResult,
  finished,
  idsOf,
  mustBeText,
  ownKey,
  pageOf,
  pollVisible,
} from "../checks/jobs/job-run.ts";
import { withSignatureChanged } from "../checks/jobs/results.ts";
import { must, SkipCheck } from "../outcome.ts";
import { fieldsOf } from "../wire/response.ts";
import { jobTimeProbes } from "./job-times.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;

export const jobProbes: readonly Probe[] = [
  ...jobTimeProbes,
  {
    ...free,
    credits: 0,
    id: "observed.maxLimit",
    option: "maxLimit",
    title: "The largest page of the list",
    rules: ["list.limit.bounds"],
    async observe(session) {
      const takes = async (limit: number): Promise<boolean> => {
        const query = { limit: String(limit) };
        const { status } = await session.call("GET", "/api/v1/tryon", { query });
        return status === 200;
      };
      for (const most of [100, 50]) {
        // What takes more than its bound, as one that cuts it, has another way.
        if (await takes(most)) return (await takes(most + 1)) ? undefined : most;
      }
      return undefined;
    },
  },
  {
    ...free,
    id: "observed.filterName",
    option: "filterName",
    title: "Under which names the status filter of the list is honoured",
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
      must(long || short, "Neither status_filter nor status keeps the jobs of one status.");
      return long && short ? "both" : long ? "status_filter" : "status";
    },
  },
  {
    ...free,
    credits: 24,
    id: "observed.readLag",
    option: "readLag",
    title: "For how long a fresh job is missing from reads",
    rules: ["poll.fresh-job.visible"],
    async observe(session) {
      const key = await ownKey(session);
      let late = false;
      for (let time = 0; time < 3 && !late; time += 1) {
        const jobId = await session.start({}, { key });
        const { status } = await session.poll(jobId, { key });
        late = status === 404 || !idsOf(await pageOf(session, key)).includes(jobId);
        await pollVisible(session, jobId, key);
      }
      return late ? 800 : 0;
    },
  },
  {
    ...free,
    id: "observed.sparseSubmit",
    option: "sparseSubmit",
    title: "Whether the answer to a submission has only the fields of its documented shape",
    rules: ["submit.shape.cost-credits"],
    async observe(session) {
      const answer = await session.submit({}, { key: await ownKey(session) });
      must(answer.status === 200, `A good submission was answered ${answer.status}.`, answer);
      return fieldsOf(answer.json)["cost_credits"] === undefined;
    },
  },
  {
    ...free,
    id: "observed.inventSeed",
    option: "inventSeed",
    title: "Whether a job without a seed is given one",
    rules: ["submit-response.seed.not-given"],
    async observe(session) {
      const { job } = await finished(session);
      return !isNone(job["seed"]);
    },
  },
  {
    ...free,
    id: "observed.expiredStatus",
    option: "expiredStatus",
    title: "The status of a result's address that has expired or is signed wrongly",
    rules: ["job.result-url.expired-answer"],
    async observe(session) {
      const { job } = await finished(session);
      const changed = withSignatureChanged(mustBeText(job["result_url"]));
      if (changed === undefined) {
        throw new SkipCheck("The addresses of results have no parameter that is a signature.");
      }
      const { status } = await fetchResult(session, changed);
      return status === 403 || status === 400 ? status : undefined;
    },
  },
  {
    ...free,
    id: "observed.resultsOrigin",
    option: "resultsOrigin",
    title: "Whether results are served from the address of the service",
    rules: ["job.result-url.origin"],
    async observe(session) {
      const { job } = await finished(session);
      const { origin } = new URL(mustBeText(job["result_url"]));
      return origin === new URL(session.bench.baseUrl).origin ? "same" : "other";
    },
  },
];
