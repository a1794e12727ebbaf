import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import type { Options } from "../options.ts";
import { caller, type Caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

function setUp(options: Partial<Options> = {}) {
  const mock = createMock({ clock: "manual", seed: "list", options });
  return { mock, call: caller(mock) };
}

/** Submits jobs and gives their ids, newest first. */
async function submitMany(call: Caller, count: number): Promise<string[]> {
  const ids = [];
  for (let index = 0; index < count; index += 1) ids.push((await call.submit()).body.job_id);
  return ids.toReversed();
}

async function idsOf(call: Caller, query = ""): Promise<readonly string[]> {
  return (await call.list(query)).body.jobs.map((job) => job.job_id);
}

describe("the list of jobs", () => {
  test("is empty at first", async () => {
    covers("list.request-and-answer", "list.jobs.present");
    const { call } = setUp();
    expect((await call.list()).body).toEqual({ jobs: [], next_cursor: null });
  });

  test("has the newest first, 20 a page, and ends with a null cursor", async () => {
    covers(
      "list.request-and-answer",
      "list.jobs.newest-first",
      "list.next-cursor.continues",
      "list.next-cursor.null-at-end",
      "list.limit.default",
      "list.cursor.form",
    );
    const { call } = setUp();
    const ids = await submitMany(call, 45);
    const first = await call.list();
    expect(first.body.jobs.map((job) => job.job_id)).toEqual(ids.slice(0, 20));
    expect(first.body.next_cursor).toBe(ids[19]);
    const second = await call.list(`?cursor=${first.body.next_cursor}`);
    const third = await call.list(`?cursor=${second.body.next_cursor}`);
    expect(
      [...first.body.jobs, ...second.body.jobs, ...third.body.jobs].map((job) => job.job_id),
    ).toEqual(ids);
    expect(third.body.next_cursor).toBeNull();
  });

  test("has no next page when the last is full", async () => {
    covers("list.next-cursor.null-at-end");
    const { call } = setUp();
    await submitMany(call, 2);
    expect((await call.list("?limit=2")).body.next_cursor).toBeNull();
  });

  test("stays the same behind a cursor while jobs are added", async () => {
    covers("list.next-cursor.continues");
    const { call } = setUp();
    const ids = await submitMany(call, 4);
    const { body } = await call.list("?limit=2");
    await submitMany(call, 3);
    expect(await idsOf(call, `?limit=2&cursor=${body.next_cursor}`)).toEqual(ids.slice(2));
  });

  test("shows a job as a poll does", async () => {
    covers("list.jobs.present");
    const { mock, call } = setUp();
    const [id = ""] = await submitMany(call, 1);
    await mock.clock.advance("2s");
    expect((await call.list()).body.jobs).toEqual([(await call.poll(id)).body]);
  });

  test("holds the jobs of its key alone; one of another key is 404 and no cursor", async () => {
    covers(
      "list.scope.own-key",
      "poll.404.unknown-job",
      "poll.404.job-of-another-key",
      "list.cursor.unknown",
    );
    const { mock, call } = setUp();
    const [id = ""] = await submitMany(call, 1);
    const other = caller(mock, mock.keys.test);
    expect(await idsOf(other)).toEqual([]);
    const missing = await other.poll(id);
    expect(missing.status).toBe(404);
    expect(missing.body).toEqual((await other.poll("job_000000000000000000000000")).body);
    expect((await other.list(`?cursor=${id}`)).status).toBe(400);
  });

  test.each(["job_none", "rubbish", "%00"])("does not know the cursor %s", async (cursor) => {
    covers("list.cursor.unknown");
    const { call } = setUp();
    const refused = await call.list(`?cursor=${cursor}`);
    expect(refused.status).toBe(400);
    expect(refused.detail).toMatch(/^cursor: /);
  });

  test("begins anew with an empty cursor", async () => {
    const { call } = setUp();
    expect(await idsOf(call, "?cursor=")).toEqual([]);
  });
});

describe("the limit of a page", () => {
  test.each([
    ["limit=0", "greater_than_equal", { ge: 1 }],
    ["limit=-5", "greater_than_equal", { ge: 1 }],
    ["limit=101", "less_than_equal", { le: 100 }],
    ["limit=ten", "int_parsing", undefined],
    ["limit=1.5", "int_parsing", undefined],
    ["limit=", "int_parsing", undefined],
  ])("is refused as %s", async (query, type, ctx) => {
    covers("list.limit.default", "list.limit.bounds");
    const { call } = setUp();
    const refused = await call.list(`?${query}`);
    expect(refused.status).toBe(422);
    expect(refused.problems).toMatchObject([{ loc: ["query", "limit"], type }]);
    expect(refused.problems[0]?.ctx).toEqual(ctx);
  });

  test.each([
    [100, 100, 101],
    [50, 50, 51],
  ] as const)("is at most maxLimit, %i", async (maxLimit, taken, refused) => {
    covers("list.limit.bounds");
    const { call } = setUp({ maxLimit });
    const ids = await submitMany(call, 60);
    expect(await idsOf(call, `?limit=${taken}`)).toEqual(ids.slice(0, taken));
    expect((await call.list(`?limit=${refused}`)).problems[0]?.ctx).toEqual({ le: maxLimit });
    expect(await idsOf(call, "?limit=1")).toEqual(ids.slice(0, 1));
  });
});

async function everyStatus(options: Partial<Options> = {}) {
  const { mock, call } = setUp(options);
  const succeeded = await submitMany(call, 1);
  const failed = (await call.submit({ prompt: "mock:model_rejected" })).body.job_id;
  await mock.clock.advance("2s");
  const running = await submitMany(call, 3);
  return { call, succeeded, failed: [failed], running, queued: [] };
}

describe("the filter by status", () => {
  const names = ["status_filter", "status"] as const;

  test.each(["queued", "running", "succeeded", "failed"] as const)(
    "finds what is %s",
    async (status) => {
      covers("list.status-filter.values", "job.status.values");
      const { call, ...found } = await everyStatus();
      expect(await idsOf(call, `?status_filter=${status}`)).toEqual(found[status]);
    },
  );

  test("goes together with pages", async () => {
    const { call, running } = await everyStatus();
    const first = (await call.list("?status_filter=running&limit=2")).body;
    expect(first.jobs).toHaveLength(2);
    expect(await idsOf(call, `?status_filter=running&limit=2&cursor=${first.next_cursor}`)).toEqual(
      running.slice(2),
    );
  });

  test.each([
    ["both", [1, 1]],
    ["status_filter", [1, 5]],
    ["status", [5, 1]],
  ] as const)("is honoured under %s", async (filterName, counts) => {
    covers("list.status-filter.values", "list.status-filter.name");
    const { call } = await everyStatus({ filterName });
    const seen = [];
    for (const name of names) seen.push((await idsOf(call, `?${name}=failed`)).length);
    expect(seen).toEqual(counts);
  });

  test.each([
    ["both", [422, 422]],
    ["status_filter", [422, 200]],
    ["status", [200, 422]],
  ] as const)("refuses an unknown status under %s alone", async (filterName, statuses) => {
    covers("list.status-filter.values", "list.status-filter.name");
    const { call } = setUp({ filterName });
    const answers = [];
    for (const name of names) answers.push(await call.list(`?${name}=done`));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 200) continue;
      expect(answer.problems).toEqual([
        {
          type: "literal_error",
          loc: ["query", names[index]],
          msg: "Input should be 'queued', 'running', 'succeeded' or 'failed'",
          input: "done",
          ctx: { expected: "'queued', 'running', 'succeeded' or 'failed'" },
        },
      ]);
    }
  });

  test("and the limit are refused together", async () => {
    const { call } = setUp();
    const refused = await call.list("?limit=0&status_filter=done");
    expect(refused.problems.map(({ loc }) => loc[1])).toEqual(["limit", "status_filter"]);
  });
});

describe("reads of a fresh job", () => {
  test("see it at once by default", async () => {
    covers("poll.fresh-job.visible");
    const { call } = setUp();
    const [id = ""] = await submitMany(call, 1);
    expect((await call.poll(id)).status).toBe(200);
  });

  test("miss it for 800 ms where the server reads from replicas", async () => {
    covers("poll.fresh-job.visible");
    const { mock, call } = setUp({ readLag: 800 });
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
