import { describe, expect, test } from "vitest";

import type { MockOptions } from "../../mock-interface.ts";
import { receiver } from "../../../test/receiver.ts";
import { withFaults } from "../../../test/with-faults.ts";
import type { State } from "./state-view.ts";

function setUp(options: MockOptions = {}) {
  const server = withFaults(options);
  const state = async (): Promise<State> => {
    const response = await server.get("/__mock/state");
    expect(response.status).toBe(200);
    // The body is the result of the view.
    return (await response.json()) as State;
  };
  return { ...server, state };
}

const hook = "https://receiver.example/hook";

describe("the state for the control page", () => {
  test("has only keys on a new server", async () => {
    const { mock, state } = setUp();
    const { keys, ...rest } = await state();
    expect(rest).toEqual({
      now: mock.clock.now(),
      clock: "manual",
      next: null,
      generation: expect.any(Number) as unknown,
      jobs: { counts: { queued: 0, running: 0, succeeded: 0, failed: 0 }, latest: [] },
      deliveries: { total: 0, latest: [] },
      next_jobs: [],
      faults: [],
    });
    expect(keys.map(({ token }) => token)).toEqual(Object.values(mock.keys));
    expect(keys.map(({ state: keyState }) => keyState)).toContain("flagged");
  });

  test("has the jobs of all keys, newest first, with their times", async () => {
    const { mock, state, submitted } = setUp({
      concurrency: 1,
      options: { reportQueued: true },
    });
    const start = mock.clock.now();
    const [first, second, third] = [await submitted(), await submitted(), await submitted()];
    await mock.clock.advance("2s");
    const { jobs, next } = await state();
    expect(jobs.counts).toEqual({ queued: 1, running: 1, succeeded: 1, failed: 0 });
    expect(jobs.latest).toMatchObject([
      { job_id: third, status: "queued", started_at: null, due_at: null },
      { job_id: second, status: "running", started_at: start + 1_500, due_at: start + 3_000 },
      { job_id: first, status: "succeeded", started_at: start, completed_at: start + 1_500 },
    ]);
    expect(jobs.latest[2]?.result).toMatchObject({ width: 768, height: 1_024 });
    expect(next).toEqual({ kind: "job-end", at: start + 3_000 });
  });

  test("has at most 100 jobs, and counts all", async () => {
    const { mock, state, submitted } = setUp();
    await submitted({ prompt: "mock:never" });
    for (let number = 0; number < 100; number += 1) await submitted();
    await mock.clock.advance("2s");
    const { jobs } = await state();
    expect(jobs.latest).toHaveLength(100);
    expect(jobs.counts).toMatchObject({ running: 1, succeeded: 100 });
  });

  test("has deliveries with every attempt and the time of the next one", async () => {
    const { send } = receiver(() => new Response(null, { status: 500 }));
    const { mock, state, submitted } = setUp({ sendWebhook: send });
    const start = mock.clock.now();
    await submitted({ webhook_url: hook });
    await mock.clock.advance("3s");
    const { deliveries } = await state();
    expect(deliveries.total).toBe(1);
    const [delivery] = deliveries.latest;
    expect(delivery).toMatchObject({ state: "pending", next_attempt_at: start + 6_500 });
    expect(delivery?.attempts.map(({ at, status }) => [at - start, status])).toEqual([
      [1_500, 500],
      [2_500, 500],
    ]);
  });

  test("has the ledgers of all keys, and whole tokens of default keys only", async () => {
    const { mock, state, submitted, get } = setUp();
    const added = await mock.createKey({ credits: 40, name: "shop" });
    const jobId = await submitted();
    const { keys } = await state();
    expect(keys.at(-1)).toMatchObject({ name: "shop", token: null, credits: 40 });
    expect(keys[0]?.ledger).toMatchObject({
      total: 2,
      latest: [{ credits: -8, cause: "tryon", job_id: jobId }, { credits: 1_000 }],
    });
    const text = await (await get("/__mock/state")).text();
    expect(text).not.toContain(added.token);
    expect(text).not.toContain(added.webhookSecret);
  });

  test("has faults and outcomes of next jobs", async () => {
    const { mock, state } = setUp();
    mock.faults.add({ on: "webhook", times: 1, drop: true });
    mock.nextJob({ outcome: "storage_failed", durationMs: 5, apiKey: mock.keys.test });
    const { faults, next_jobs: nextJobs } = await state();
    expect(faults).toMatchObject([{ fault_id: "fault_1", on: "webhook", drop: true, applied: 0 }]);
    expect(nextJobs).toEqual([
      {
        outcome: "failed",
        error_message: "storage_failed",
        duration_ms: 5,
        api_key: "svc_test_…mock",
      },
    ]);
  });

  test("has a new generation after a reset and a restore only", async () => {
    const { mock, state } = setUp();
    const snapshot = await mock.snapshot();
    const numbers = [(await state()).generation, (await state()).generation];
    await mock.reset();
    numbers.push((await state()).generation);
    await mock.restore(snapshot);
    numbers.push((await state()).generation);
    const [first = 0] = numbers;
    expect(numbers).toEqual([first, first, first + 1, first + 2]);
  });

  test("is available during a synchronous submission, without an entry in journal or faults", async () => {
    const { mock, state, submit } = setUp();
    mock.faults.add({ on: "GET *", status: 500 });
    const submission = submit({ wait: true });
    await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
    await expect.poll(async () => (await state()).jobs.counts.running).toBe(1);
    expect(mock.journal.entries()).toHaveLength(1);
    await mock.clock.advance("2s");
    expect((await submission).status).toBe(200);
  });
});
