import { describe, expect, test } from "vitest";

import type { Options } from "../options.ts";
import { caller, manualServer, type Caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

/** Submits jobs and returns their ids, newest first. */
async function submitMany(call: Caller, count: number): Promise<string[]> {
  const ids = [];
  for (let index = 0; index < count; index += 1) ids.push((await call.submit()).body.job_id);
  return ids.toReversed();
}

async function idsOf(call: Caller, query = ""): Promise<readonly string[]> {
  return (await call.list(query)).body.jobs.map((job) => job.job_id);
}

describe("the list of jobs", () => {
  test("is empty at first, also with an empty cursor", async () => {
    covers("list.request-and-answer");
    const { call } = manualServer();
    for (const query of ["", "?cursor="]) {
      expect((await call.list(query)).body).toEqual({ jobs: [], next_cursor: null });
    }
  });

  test("has 20 jobs a page, newest first, and ends with a null cursor", async () => {
    covers(
      "list.jobs.newest-first",
      "list.next-cursor.null-at-end",
      "list.limit.default",
      "list.cursor.form",
    );
    const { call } = manualServer();
    const ids = await submitMany(call, 45);
    const first = (await call.list()).body;
    expect(first.jobs.map((job) => job.job_id)).toEqual(ids.slice(0, 20));
    expect(first.next_cursor).toBe(ids[19]);
    const second = (await call.list(`?cursor=${first.next_cursor}`)).body;
    const third = (await call.list(`?cursor=${second.next_cursor}`)).body;
    const all = [first, second, third].flatMap(({ jobs }) => jobs.map((job) => job.job_id));
    expect(all).toEqual(ids);
    expect(third.next_cursor).toBeNull();
    expect((await call.list("?limit=45")).body.next_cursor).toBeNull();
  });

  test("keeps its next page while jobs are added", async () => {
    covers("list.next-cursor.continues");
    const { call } = manualServer();
    const ids = await submitMany(call, 4);
    const { body } = await call.list("?limit=2");
    await submitMany(call, 3);
    expect(await idsOf(call, `?limit=2&cursor=${body.next_cursor}`)).toEqual(ids.slice(2));
  });

  test("has each job as a poll returns it", async () => {
    covers("list.jobs.present");
    const { mock, call } = manualServer();
    const [id = ""] = await submitMany(call, 1);
    await mock.clock.advance("2s");
    expect((await call.list()).body.jobs).toEqual([(await call.poll(id)).body]);
  });

  test("has only jobs of its key; another key's job is a 404 and an invalid cursor", async () => {
    covers("list.scope.own-key");
    const { mock, call } = manualServer();
    const [id = ""] = await submitMany(call, 1);
    const other = caller(mock, mock.keys.test);
    expect(await idsOf(other)).toEqual([]);
    const missing = await other.poll(id);
    expect(missing.status).toBe(404);
    expect(missing.body).toEqual((await other.poll("job_000000000000000000000000")).body);
    expect((await other.list(`?cursor=${id}`)).status).toBe(400);
  });

  test("gets a 403 for another key's job with foreignJob 403, and a 404 for an unknown one", async () => {
    covers("poll.404.job-of-another-key", "poll.404.unknown-job");
    const { mock, call } = manualServer({ options: { foreignJob: 403, readLag: 800 } });
    const other = caller(mock, mock.keys.test);
    const [id = ""] = await submitMany(call, 1);
    expect((await other.poll(id)).status).toBe(404);
    await mock.clock.advance("2s");
    const refused = await other.poll(id);
    expect(refused.status).toBe(403);
    expect(refused.detail).toContain("another API key");
    expect((await other.poll("job_000000000000000000000000")).status).toBe(404);
    expect((await call.poll(id)).status).toBe(200);
    expect((await other.account()).status).toBe(200);
  });
});

const anyDetail = { detail: expect.anything() as unknown };
const cursorDetail = { detail: expect.stringMatching(/^cursor: /) as unknown };

test.each([
  [400, 400, [], cursorDetail],
  [422, 422, [{ loc: ["query", "cursor"], type: "value_error" }], anyDetail],
  ["empty", 200, [], { jobs: [], next_cursor: null }],
] as const)("an unknown cursor gets with unknownCursor %s a %i", async (...row) => {
  covers("list.cursor.unknown");
  const [unknownCursor, status, problems, body] = row;
  const { call } = manualServer({ options: { unknownCursor, fieldStatus: 400 } });
  await submitMany(call, 1);
  for (const cursor of ["job_none", "rubbish", "%00"]) {
    const response = await call.list(`?cursor=${cursor}`);
    expect(response.status).toBe(status);
    expect(response.problems).toMatchObject(problems);
    expect(response.body).toEqual(body);
  }
});

test("an invalid limit becomes the nearest one with limitBounds clamp", async () => {
  covers("list.limit.bounds");
  const { call } = manualServer({ options: { limitBounds: "clamp", maxLimit: 50 } });
  const ids = await submitMany(call, 60);
  for (const limit of [0, -5])
    expect(await idsOf(call, `?limit=${limit}`)).toEqual(ids.slice(0, 1));
  for (const limit of [51, 1e6]) {
    expect(await idsOf(call, `?limit=${limit}`)).toEqual(ids.slice(0, 50));
  }
  expect(await idsOf(call, "?limit=7")).toEqual(ids.slice(0, 7));
  expect((await call.list("?limit=ten")).status).toBe(422);
});

test.each([
  ["", "int_parsing", undefined],
  ["ten", "int_parsing", undefined],
  ["1.5", "int_parsing", undefined],
  ["-5", "greater_than_equal", { ge: 1 }],
])("the limit %j of a page gets a 422", async (limit, type, ctx) => {
  const refused = await manualServer().call.list(`?limit=${limit}`);
  expect(refused.status).toBe(422);
  expect(refused.problems).toMatchObject([{ loc: ["query", "limit"], type }]);
  expect(refused.problems[0]?.ctx).toEqual(ctx);
});

test.each([100, 50] as const)("the limit of a page is from 1 to maxLimit, %i", async (maxLimit) => {
  const { call } = manualServer({ options: { maxLimit } });
  const ids = await submitMany(call, 60);
  expect(await idsOf(call, `?limit=${maxLimit}`)).toEqual(ids.slice(0, maxLimit));
  expect(await idsOf(call, "?limit=1")).toEqual(ids.slice(0, 1));
  for (const [limit, ctx] of [
    [0, { ge: 1 }],
    [maxLimit + 1, { le: maxLimit }],
  ] as const) {
    expect((await call.list(`?limit=${limit}`)).problems[0]?.ctx).toEqual(ctx);
  }
});

async function everyStatus(options: Partial<Options> = {}) {
  const { mock, call } = manualServer({ options });
  const succeeded = await submitMany(call, 1);
  const failed = (await call.submit({ prompt: "mock:model_rejected" })).body.job_id;
  await mock.clock.advance("2s");
  const running = await submitMany(call, 3);
  return { call, succeeded, failed: [failed], running, queued: [] };
}

describe("the status filter", () => {
  const names = ["status_filter", "status"] as const;

  test("selects the jobs of each status, page by page", async () => {
    covers("list.status-filter.values", "job.status.values");
    const { call, ...jobs } = await everyStatus();
    for (const status of ["queued", "running", "succeeded", "failed"] as const) {
      expect(await idsOf(call, `?status_filter=${status}`)).toEqual(jobs[status]);
    }
    const query = "?status_filter=running&limit=2";
    const first = (await call.list(query)).body;
    expect(first.jobs).toHaveLength(2);
    const next = await idsOf(call, `${query}&cursor=${first.next_cursor}`);
    expect(next).toEqual(jobs.running.slice(2));
  });

  test.each([
    ["both", [1, 1]],
    ["status_filter", [1, 5]],
    ["status", [5, 1]],
  ] as const)("has the query name %s", async (filterName, counts) => {
    covers("list.status-filter.name");
    const { call } = await everyStatus({ filterName });
    for (const [index, name] of names.entries()) {
      expect(await idsOf(call, `?${name}=failed`)).toHaveLength(counts[index] ?? Number.NaN);
      const { status, problems } = await call.list(`?${name}=done`);
      const problem = {
        type: "literal_error",
        loc: ["query", name],
        msg: "Input should be 'queued', 'running', 'succeeded' or 'failed'",
        input: "done",
        ctx: { expected: "'queued', 'running', 'succeeded' or 'failed'" },
      };
      expect([status, problems]).toEqual(counts[index] === 1 ? [422, [problem]] : [200, []]);
    }
  });

  test("is reported together with an invalid limit", async () => {
    const refused = await manualServer().call.list("?limit=0&status_filter=done");
    expect(refused.problems.map(({ loc }) => loc[1])).toEqual(["limit", "status_filter"]);
  });
});

describe("a new job", () => {
  test("is missing from reads during the option readLag, and visible at once without it", async () => {
    covers("poll.fresh-job.visible");
    const { call: usual } = manualServer();
    expect((await usual.poll((await usual.submit()).body.job_id)).status).toBe(200);
    const { mock, call } = manualServer({ options: { readLag: 800 } });
    const [older = ""] = await submitMany(call, 1);
    await mock.clock.advance("799ms");
    const [id = ""] = await submitMany(call, 1);
    expect((await call.poll(older)).status).toBe(404);
    expect(await idsOf(call)).toEqual([]);
    await mock.clock.advance("1ms");
    expect((await call.poll(older)).status).toBe(200);
    expect((await call.poll(id)).status).toBe(404);
    expect(await idsOf(call)).toEqual([older]);
    await mock.clock.advance("799ms");
    expect(await idsOf(call)).toEqual([id, older]);
  });
});
