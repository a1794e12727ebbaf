import { isDeepStrictEqual } from "node:util";

import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { checkRows } from "../expectations.ts";
import {
  finished,
  idsOf,
  jobsOf,
  pageOf,
  runNewJob,
  startAndList,
  keysOfOtherAccounts,
} from "./job-run.ts";

const maxPages = 20;

export const lists = checkRows("safe", 8, {
  "list.as-polled": {
    title: "Lists a job with the same fields as a poll",
    rules: ["list.jobs.present"],
    async run(session) {
      const { jobId } = await finished(session, {}, runNewJob);
      const page = await pageOf(session, { limit: "50" });
      const listed = jobsOf(page).find((job) => job["job_id"] === jobId);
      need(listed !== undefined, "The first page of the list lacks the job.");
      const polled = fieldsOf((await session.http.poll(jobId)).json);
      for (const name of new Set([...Object.keys(listed), ...Object.keys(polled)])) {
        // Every response signs a new URL.
        const same = name === "result_url" || isDeepStrictEqual(listed[name], polled[name]);
        must(same, `The list and a poll differ in the ${name} of a job.`, page);
      }
    },
  },
  "list.newest-first": {
    credits: 24,
    title: "Lists jobs from the newest to the oldest",
    rules: ["list.jobs.newest-first"],
    async run(session) {
      const { ids, page } = await startAndList(session, 3);
      const order = idsOf(page).filter((id) => ids.includes(id));
      const message = `Jobs submitted as ${ids.join(", ")} are listed as ${order.join(", ")}.`;
      must(isDeepStrictEqual(order, ids.toReversed()), message, page);
    },
  },
  "list.limit.default": {
    on: "test",
    credits: 0,
    title: "Lists 20 jobs on a page without a limit",
    rules: ["list.limit.default"],
    async run(session) {
      const known = idsOf(await pageOf(session, { limit: "50" })).length;
      await startAndList(session, Math.max(0, 21 - known));
      mustHaveJobs(await pageOf(session), 20);
    },
  },
  "list.limit.asked": {
    credits: 32,
    title: "Lists as many jobs on a page as its limit says",
    rules: ["list.limit.default"],
    async run(session) {
      await startAndList(session, 4);
      for (const limit of [1, 3]) {
        mustHaveJobs(await pageOf(session, { limit: String(limit) }), limit);
      }
    },
  },
  "list.own-key": {
    title: "Lists only jobs of the key",
    rules: ["list.scope.own-key"],
    async run(session) {
      const { ids } = await startAndList(session, 1);
      for (const stranger of keysOfOtherAccounts(session)) {
        const page = await pageOf(session, { limit: "50" }, stranger);
        const foreign = idsOf(page).find((id) => ids.includes(id));
        must(foreign === undefined, `The list of another key has the job ${foreign}.`, page);
      }
    },
  },
  "list.paging.whole": {
    credits: 40,
    title: "Has every job once on successive pages",
    rules: ["list.next-cursor.continues"],
    async run(session) {
      const { ids } = await startAndList(session, 5);
      const pages = await readPages(session, "2", maxPages);
      const found = pages.flatMap(idsOf);
      for (const id of ids) {
        const times = found.filter((one) => one === id).length;
        must(times === 1, `${id} is ${times} times on the pages, not once.`, pages.at(-1));
      }
    },
  },
  "list.paging.inserts": {
    credits: 40,
    title: "Has the same jobs on the page after a cursor when jobs are added",
    rules: ["list.next-cursor.continues"],
    async run(session) {
      await startAndList(session, 4);
      const cursor = needCursor(await pageOf(session, { limit: "2" }));
      const before = idsOf(await pageOf(session, { limit: "2", cursor }));
      await startAndList(session, 1);
      const page = await pageOf(session, { limit: "2", cursor });
      const after = idsOf(page);
      const message = `A page had ${before.join(", ")}, and ${after.join(", ")} after a job was added.`;
      must(isDeepStrictEqual(new Set(before), new Set(after)), message, page);
    },
  },
  "list.paging.end": {
    credits: 16,
    title: "Has next_cursor null on the last page, even on a full one",
    rules: ["list.next-cursor.null-at-end"],
    async run(session) {
      await startAndList(session, 2);
      // A new key has only these jobs, so that its first page is the last one.
      const isNewKey = session.keys.hasControl;
      const pages = await readPages(session, isNewKey ? "2" : "50", isNewKey ? 1 : maxPages);
      const last = pages.at(-1);
      const hasMore = last !== undefined && cursorOf(last) !== undefined;
      const isLong = hasMore && !isNewKey && idsOf(last).length > 0;
      need(!isLong, `The history of the key is longer than ${maxPages} pages.`);
      must(!hasMore, "The last page has a next_cursor.", last);
    },
  },
  "list.paging.cursor": {
    credits: 16,
    title: "Has a cursor in the form of a job id",
    rules: ["list.cursor.form"],
    async run(session) {
      await startAndList(session, 2);
      const page = await pageOf(session, { limit: "1" });
      const isJobId = /^job_[a-zA-Z0-9]+$/.test(needCursor(page));
      must(isJobId, "next_cursor does not have the form of a job id.", page);
    },
  },
});

function mustHaveJobs(page: HttpResponse, count: number): void {
  const { length } = idsOf(page);
  must(length === count, `Expected ${count} jobs on the page, got ${length}.`, page);
}

async function readPages(
  session: Session,
  limit: string,
  max: number,
): Promise<readonly HttpResponse[]> {
  const pages: HttpResponse[] = [];
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? { limit } : { limit, cursor };
    const page = await pageOf(session, query);
    pages.push(page);
    cursor = idsOf(page).length === 0 ? undefined : cursorOf(page);
  } while (cursor !== undefined && pages.length < max);
  return pages;
}

function cursorOf(page: HttpResponse): string | undefined {
  const { next_cursor: cursor } = fieldsOf(page.json);
  return typeof cursor === "string" ? cursor : undefined;
}

function needCursor(page: HttpResponse): string {
  const cursor = cursorOf(page);
  need(cursor !== undefined, "The list has no second page.");
  return cursor;
}
