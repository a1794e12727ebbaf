import { probeGroup, type Probe } from "../check.ts";
import { failedJob } from "../checks/billing/credits.ts";
import { isNone } from "../checks/expectations.ts";
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
import {
  isSubmit,
  limitAlone,
  listOperation,
  pollOperation,
  refusal,
  submitOperation,
  type Seen,
} from "../seen/seen.ts";
import { must, need } from "../outcome.ts";
import { markerOf } from "../record/exchange.ts";
import type { Session } from "../session.ts";
import { jobIdOf } from "../submission.ts";
import { instantOf } from "../wire/instant.ts";
import { elementsOf, fieldsOf, isHtml, pathOf, type HttpResponse } from "../wire/response.ts";
import { ifShown } from "./requests.ts";

/** Number of jobs submitted at once: more than a deployment usually runs at once. */
const jobCount = 12;

const jobDuration = 3_000;

const syncDuration = 85_000;

/** Time within which a read misses a new job at a deployment with replicas, in milliseconds. */
const readLag = 800;

/** Time after which a job that a read misses was deleted, in milliseconds. */
const maxReadLag = 10_000;

const probes = probeGroup(8, {
  timeFormat: {
    provoke: (session) => runJob(session),
    judge({ got }) {
      const times = [got, ...elementsOf(got["jobs"]).map(fieldsOf)];
      for (const { completed_at, created_at } of times) {
        const time = completed_at ?? created_at;
        if (typeof time !== "string" || !time.includes("T")) continue;
        if (time.endsWith("Z")) return ["Z"];
        return /[+-]\d\d:\d\d$/.test(time) ? ["offset"] : ["naive"];
      }
      return undefined;
    },
    explains: {
      deviation: [
        "times that do not end in Z",
        (_response, problem) => /^\S*(created|completed)_at must match format/.test(problem),
      ],
    },
  },
  reportQueued: {
    on: "test",
    async provoke(session) {
      const { submitted, ended } = await submitMany(session);
      const ends = ended.map(({ json }) => instantOf(fieldsOf(json)["completed_at"]) ?? 0);
      // Jobs of the same duration that end at different times have waited.
      const haveWaited = Math.max(...ends) - Math.min(...ends) >= jobDuration - 1_000;
      const isQueued = submitted.some(({ json }) => fieldsOf(json)["status"] === "queued");
      const isKnown = haveWaited && !isQueued && session.keys.hasControl && session.time.virtual;
      return isKnown ? false : undefined;
    },
    judge: ({ got }) =>
      [got, ...elementsOf(got["jobs"]).map(fieldsOf)].some(({ status }) => status === "queued")
        ? [true]
        : undefined,
  },
  syncCut: {
    level: "full",
    provoke: (session) => submitLong(session, syncDuration),
    judge(seen) {
      if (!isSubmit(seen) || seen.sent["wait"] !== true) return undefined;
      if (seen.status === 504 && seen.isHtml) return [30];
      return seen.status === 200 && seen.answeredAt - seen.sentAt > 40_000 ? ["off"] : undefined;
    },
    explains: {
      status: ifShown,
      deviation: [
        "504 with text/html for a synchronous request",
        (response) =>
          response.status === 504 && isHtml(response) && pathOf(response) === "/api/v1/tryon",
      ],
    },
  },
  maxLimit: {
    credits: 0,
    async provoke({ http, keys, time }) {
      const { status } = await http.list({ limit: "101" });
      await http.list({ limit: "100" });
      // Larger limits are reduced, so that it takes more jobs than a page has.
      if (status !== 200 || !keys.hasControl) return;
      for (let job = 0; job <= 100; job += 1) await http.start();
      await time.pass(1_000);
      await http.list({ limit: "1000" });
    },
    judge(seen, { refusesLimits }) {
      const limit = limitAlone(seen) ?? 0;
      if (limit <= 50) return undefined;
      if (seen.status !== 200) return limit <= 100 ? refusal(seen) && [50] : undefined;
      const { length } = elementsOf(seen.got["jobs"]);
      if (length > 50 || (refusesLimits && limit <= 100)) return [100];
      return length === 50 && seen.got["next_cursor"] !== null ? [50] : undefined;
    },
    explains: { status: hasLimit },
  },
  limitBounds: {
    credits: 0,
    provoke: ({ http }) => http.list({ limit: "0" }),
    judge(seen) {
      const limit = limitAlone(seen);
      if (limit === undefined || (limit >= 1 && limit <= 100)) return undefined;
      return seen.status === 200 ? ["clamp"] : refusal(seen) && ["refuse"];
    },
    explains: { status: hasLimit },
  },
  unknownCursor: {
    async provoke(session) {
      await startAndList(session, 1);
      await session.http.list({ cursor: session.http.unknownJobId() });
    },
    judge(seen, { cursors, readers }) {
      const cursor = seen.query.get("cursor");
      if (seen.operation !== listOperation || cursor === null) return undefined;
      const limit = Number(seen.query.get("limit") ?? 1);
      const others = [...seen.query.keys()].filter((name) => name !== "cursor" && name !== "limit");
      const isLimit = Number.isInteger(limit) && limit >= 1 && limit <= 50;
      if (cursors.has(cursor) || !isLimit || others.length > 0) return undefined;
      if (seen.status !== 200) return refusal(seen);
      const isEmpty = elementsOf(seen.got["jobs"]).length === 0;
      return isEmpty && readers.has(seen.key ?? "") ? ["empty"] : undefined;
    },
    explains: { status: ifShown },
  },
  foreignJob: {
    async provoke(session) {
      const [stranger] = keysOfOtherAccounts(session);
      const jobId = await session.http.start();
      await session.http.pollVisible(jobId);
      await session.time.pass(2 * readLag);
      await session.http.poll(jobId, { key: stranger ?? null });
    },
    judge(seen, memory) {
      const { key = null, submittedAt = Infinity } = memory.job(seen) ?? {};
      const isForeign = seen.operation === pollOperation && key !== null && seen.key !== null;
      // A read of another key that misses a new job says nothing.
      const isNew = seen.sentAt - submittedAt < 2 * readLag;
      if (!isForeign || key === seen.key || isNew) return undefined;
      return seen.status === 404 || seen.status === 403 ? [seen.status] : undefined;
    },
    explains: { status: ifShown },
  },
  errorCodes: {
    provoke: (session) => failedJob(session, "storage_failed"),
    judge({ got: { status, error_code: code, error_message: message } }) {
      const isKnown = status === "failed" && typeof code === "string";
      if (!isKnown || message === "content_blocked") return undefined;
      return code === "generation_failed" ? ["generation_failed"] : ["cause"];
    },
  },
  filterName: {
    async provoke(session) {
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
    credits: 24,
    async provoke(session) {
      for (let round = 0; round < 3; round += 1) {
        const jobId = await session.http.start();
        const { status } = await session.http.poll(jobId);
        const isListed = idsOf(await pageOf(session)).includes(jobId);
        await session.http.pollVisible(jobId);
        if (status === 404 || !isListed) return readLag;
      }
      return undefined;
    },
    judge(seen, memory) {
      const { submittedAt = -Infinity, key } = memory.job(seen) ?? {};
      if (seen.operation !== pollOperation || key !== seen.key) return undefined;
      const age = seen.answeredAt - submittedAt;
      if (seen.status === 404) return age < maxReadLag ? [readLag] : undefined;
      return seen.status === 200 && age < readLag - 50 ? [0] : undefined;
    },
    // A read can also go to a replica that has the job.
    decisive: readLag,
    explains: { status: ifShown },
  },
  sparseSubmit: {
    provoke: ({ http }) => http.submit({ seed: 1, metadata: { sku: "A" } }),
    judge(seen) {
      const { status, sent, got, key } = seen;
      if (!isSubmit(seen) || status !== 200 || !("job_id" in got)) return undefined;
      const names = ["seed", "metadata"].filter((name) => !isNone(sent[name]));
      if (got["status"] !== "succeeded") names.unshift("cost_credits");
      // No deployment has to send `test_mode`, so that its absence alone says nothing.
      if (names.length > 0 && key?.startsWith("test-") === true) names.push("test_mode");
      const omitted = names.filter((name) => !(name in got));
      if (omitted.length === names.length) return names.length === 0 ? undefined : [true];
      const isMixed = omitted.length > 0;
      return isMixed ? `The response to a submission omits only ${omitted.join(", ")}.` : [false];
    },
    explains: {
      fieldsOf: submitOperation,
      deviation: [
        "a response to a submission without cost_credits",
        ({ request }, problem) =>
          request.method === "POST" && problem.includes("required property 'cost_credits'"),
      ],
    },
  },
  inventSeed: {
    provoke: (session) => finished(session),
    judge(seen, memory) {
      const isJob = isSubmit(seen) || seen.operation === pollOperation;
      const hasSeed = isSubmit(seen) ? !isNone(seen.sent["seed"]) : memory.job(seen)?.hasSeed;
      const { seed, status } = seen.got;
      if (!isJob || seen.status !== 200 || hasSeed !== false) return undefined;
      if (!isNone(seed)) return [true];
      // A service can also choose the seed when it makes the image, and omit it from submissions.
      const isKnown = status === "succeeded" && (!isSubmit(seen) || seed === null);
      return isKnown ? [false] : undefined;
    },
  },
  expiredStatus: {
    async provoke(session) {
      const { response } = await finished(session);
      const changed = withSignatureChanged(resultUrlOf(response));
      need(changed !== undefined, "result_url has no signature parameter.");
      return (await session.http.request("GET", changed, { key: null })).status;
    },
  },
  resultsOrigin: {
    provoke: (session) => finished(session),
    judge({ got, exchange }) {
      const marker = markerOf(got["result_url"]);
      if (marker?.kind !== "url" || exchange.origin === undefined) return undefined;
      return marker.origin === exchange.origin ? ["same"] : ["other"];
    },
  },
});

export const jobProbes: readonly Probe[] = probes.map((probe) => ({ ...probe, ownKey: true }));

/** If true, the options of the limit may decide about a request. One can hide the other. */
function hasLimit({ query }: Seen): boolean {
  return query.has("limit");
}

async function submitMany({ http, keys }: Session) {
  const submitted: HttpResponse[] = [];
  const ended: HttpResponse[] = [];
  for (let index = 0; index < jobCount; index += 1) {
    await keys.slowNextJob(jobDuration);
    submitted.push(await http.submit());
  }
  for (const response of submitted) ended.push(await http.waitForEnd(jobIdOf(response)));
  return { submitted, ended };
}
