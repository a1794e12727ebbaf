import { isDeepStrictEqual } from "node:util";

import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { fieldsOf } from "../../wire/response.ts";
import { finished, ownKey, strangersTo } from "./journey.ts";
import { idsOf, jobsOf, pageOf, startAndList } from "./pages.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;

export const lists: readonly Check[] = [
  {
    ...free,
    id: "list.as-polled",
    title: "The list shows a job as a poll does",
    rules: ["list.jobs.present"],
    async run(session) {
      const { key, jobId } = await finished(session);
      const page = await pageOf(session, key, { limit: "50" });
      const listed = jobsOf(page).find((job) => job["job_id"] === jobId);
      if (listed === undefined)
        throw new SkipCheck("The job is not on the first page of the list.");
      const polled = fieldsOf((await session.poll(jobId, { key })).json);
      for (const name of new Set([...Object.keys(listed), ...Object.keys(polled)])) {
        // Every answer signs an address of its own.
        const same = name === "result_url" || isDeepStrictEqual(listed[name], polled[name]);
        must(same, `The list and a poll do not agree on the ${name} of the same job.`, page);
      }
    },
  },
  {
    ...free,
    credits: 24,
    id: "list.newest-first",
    title: "A page goes from the newest job to the oldest",
    rules: ["list.jobs.newest-first"],
    async run(session) {
      const key = await ownKey(session);
      const { ids, page } = await startAndList(session, key, 3);
      const order = idsOf(page).filter((id) => ids.includes(id));
      must(
        isDeepStrictEqual(order, ids.toReversed()),
        `Jobs submitted as ${ids.join(", ")} are listed as ${order.join(", ")}.`,
        page,
      );
    },
  },
  {
    ...free,
    on: "test",
    credits: 0,
    id: "list.limit.default",
    title: "A page has 20 jobs when no limit is given and there are more",
    rules: ["list.limit.default"],
    async run(session) {
      const key = await ownKey(session);
      const known = idsOf(await pageOf(session, key, { limit: "50" })).length;
      await startAndList(session, key, Math.max(0, 21 - known));
      const page = await pageOf(session, key);
      const { length } = idsOf(page);
      must(length === 20, `A page without a limit has ${length} jobs, and not 20.`, page);
    },
  },
  {
    ...free,
    credits: 32,
    id: "list.limit.asked",
    title: "A page has as many jobs as its limit says, when there are more",
    rules: ["list.limit.default"],
    async run(session) {
      const key = await ownKey(session);
      await startAndList(session, key, 4);
      for (const limit of [1, 3]) {
        const page = await pageOf(session, key, { limit: String(limit) });
        const { length } = idsOf(page);
        must(length === limit, `A page with limit=${limit} has ${length} jobs.`, page);
      }
    },
  },
  {
    ...free,
    id: "list.own-key",
    title: "The list of a key has no job of another key",
    rules: ["list.scope.own-key"],
    async run(session) {
      const key = await ownKey(session);
      const { ids } = await startAndList(session, key, 1);
      for (const stranger of strangersTo(session, key)) {
        const page = await pageOf(session, stranger, { limit: "50" });
        const foreign = idsOf(page).find((id) => ids.includes(id));
        must(foreign === undefined, `The list of another key has the job ${foreign}.`, page);
      }
    },
  },
];
