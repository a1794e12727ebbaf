import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

describe("jobs over the concurrency", () => {
  const waiting = { clock: "manual", concurrency: 1, latency: "10s" } as const;

  test("run one after another and in order, all shown as running by default", async () => {
    covers("states.queued.returned");
    const mock = createMock(waiting);
    const call = caller(mock);
    const answers = [await call.submit(), await call.submit(), await call.submit()];
    expect(answers.map(({ body }) => body.status)).toEqual(["running", "running", "running"]);
    const seen = async (): Promise<readonly string[]> =>
      (await call.list()).body.jobs.map(({ status }) => status).toReversed();
    await mock.clock.advance("10s");
    expect(await seen()).toEqual(["succeeded", "running", "running"]);
    await mock.clock.advance("10s");
    expect(await seen()).toEqual(["succeeded", "succeeded", "running"]);
    await mock.clock.advance("10s");
    expect((await call.list()).body.jobs.map((job) => job.duration_ms)).toEqual([
      10_000, 10_000, 10_000,
    ]);
  });

  test("are queued first where the server reports it, and never go back", async () => {
    covers("states.queued.returned", "submit-response.status.values", "job.status.values");
    const mock = createMock({ ...waiting, options: { reportQueued: true } });
    const call = caller(mock);
    const answers = await Promise.all([call.submit(), call.submit(), call.submit()]);
    expect(answers.map(({ body }) => body.status).toSorted()).toEqual([
      "queued",
      "queued",
      "running",
    ]);
    expect((await call.list("?status_filter=queued")).body.jobs).toHaveLength(2);
    await mock.clock.advance("10s");
    expect((await call.list("?status_filter=queued")).body.jobs).toHaveLength(1);
    expect((await call.list("?status_filter=running")).body.jobs).toHaveLength(1);
    await mock.clock.advance("20s");
    expect((await call.list("?status_filter=succeeded")).body.jobs).toHaveLength(3);
  });

  test("that are still queued at the 90 s of a held call say so", async () => {
    covers("states.queued.returned");
    const mock = createMock({ ...waiting, latency: "2m", options: { reportQueued: true } });
    const call = caller(mock);
    await call.submit();
    const held = call.submit({ wait: true });
    await mock.clock.advance("90s");
    const { body } = await held;
    expect(body.status).toBe("queued");
    expect(body.message).toContain(body.job_id);
    expect((await call.poll(body.job_id)).body.status).toBe("queued");
  });

  test("that are refused for want of credits take no place", async () => {
    const mock = createMock({ ...waiting, options: { reportQueued: true } });
    const poor = caller(mock, mock.keys.empty);
    expect((await poor.submit()).status).toBe(402);
    expect((await caller(mock).submit()).body.status).toBe("running");
  });
});
