import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

describe("jobs over the concurrency", () => {
  const waiting = { clock: "manual", concurrency: 1, latency: "10s" } as const;

  test("run in order, with the status running by default", async () => {
    covers("states.queued.returned");
    const mock = createMock(waiting);
    const call = caller(mock);
    const responses = [await call.submit(), await call.submit(), await call.submit()];
    expect(responses.map(({ body }) => body.status)).toEqual(["running", "running", "running"]);
    const statuses = async (): Promise<readonly string[]> =>
      (await call.list()).body.jobs.map(({ status }) => status).toReversed();
    await mock.clock.advance("10s");
    expect(await statuses()).toEqual(["succeeded", "running", "running"]);
    await mock.clock.advance("10s");
    expect(await statuses()).toEqual(["succeeded", "succeeded", "running"]);
    await mock.clock.advance("10s");
    expect((await call.list()).body.jobs.map((job) => job.duration_ms)).toEqual([
      10_000, 10_000, 10_000,
    ]);
  });

  test("are queued first with reportQueued", async () => {
    covers("states.queued.returned", "submit-response.status.values", "job.status.values");
    const mock = createMock({ ...waiting, options: { reportQueued: true } });
    const call = caller(mock);
    const responses = await Promise.all([call.submit(), call.submit(), call.submit()]);
    expect(responses.map(({ body }) => body.status).toSorted()).toEqual([
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

  test("are still queued in the response to a synchronous request after 90 s", async () => {
    covers("states.queued.returned");
    const mock = createMock({ ...waiting, latency: "2m", options: { reportQueued: true } });
    const call = caller(mock);
    await call.submit();
    const response = call.submit({ wait: true });
    await mock.clock.advance("90s");
    const { body } = await response;
    expect(body.status).toBe("queued");
    expect(body.message).toContain(body.job_id);
    expect((await call.poll(body.job_id)).body.status).toBe("queued");
  });

  test("take no slot if they are rejected", async () => {
    const mock = createMock({ ...waiting, options: { reportQueued: true } });
    const poor = caller(mock, mock.keys.empty);
    expect((await poor.submit()).status).toBe(402);
    expect((await caller(mock).submit()).body.status).toBe("running");
  });
});
