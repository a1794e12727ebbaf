import { describe, expect, test } from "vitest";

import type { MockOptions } from "../../mock-interface.ts";
import { receiver } from "../../../test/receiver.ts";
import { withFaults } from "../../../test/with-faults.ts";
import type { State } from "./state.ts";

function watched(options: MockOptions = {}) {
  const server = withFaults(options);
  const state = async (query = ""): Promise<State> => {
    const response = await server.get(`/__mock/state${query}`);
    expect(response.status).toBe(200);
    // The route is the only one that answers here, with what its view makes.
    return (await response.json()) as State;
  };
  const submitted = async (fields: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    // A submission that is taken has a job_id.
    return ((await (await server.submit(fields)).json()) as { job_id: string }).job_id;
  };
  return { ...server, state, submitted };
}

const hook = "https://receiver.example/hook";

describe("the state", () => {
  test("of a new server is empty but for its keys", async () => {
    const { mock, state } = watched();
    const { keys, ...rest } = await state();
    expect(rest).toEqual({
      now: mock.clock.now(),
      clock: "manual",
      next: null,
      epoch: 1,
      jobs: { counts: { queued: 0, running: 0, succeeded: 0, failed: 0 }, latest: [] },
      chosen: null,
      deliveries: { total: 0, latest: [] },
      next_jobs: [],
      faults: [],
      options: [],
    });
    expect(keys.map(({ token }) => token)).toEqual(Object.values(mock.keys));
    expect(keys.map(({ state: standing }) => standing)).toContain("flagged");
  });

  test("has the jobs of all keys, newest first, with the times of their course", async () => {
    const { mock, state, submitted } = watched({
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

  test("has at most 100 jobs, counts them all, and finds old ones by their status", async () => {
    const { mock, state, submitted } = watched();
    const oldest = await submitted({ prompt: "mock:never" });
    for (let number = 0; number < 100; number += 1) await submitted();
    await mock.clock.advance("2s");
    const { jobs } = await state();
    expect(jobs.latest).toHaveLength(100);
    expect(jobs.counts).toMatchObject({ running: 1, succeeded: 100 });
    const running = await state("?status=running");
    expect(running.jobs.latest).toMatchObject([{ job_id: oldest, due_at: null }]);
  });

  test("has of a chosen job its words, what the model was told, and its deliveries", async () => {
    const { mock, state, submitted } = watched({ sendWebhook: receiver().send });
    const chosen = await submitted({ prompt: "evening light", webhook_url: hook });
    await submitted({ webhook_url: hook });
    await mock.clock.advance("2s");
    const found = (await state(`?job=${chosen}`)).chosen;
    expect(found).toMatchObject({ job_id: chosen, prompt: "evening light" });
    expect(found?.instruction).toContain("evening light");
    expect(found?.deliveries).toMatchObject([{ job_id: chosen, state: "delivered" }]);
    expect((await state("?job=job_none")).chosen).toBeNull();
  });

  test("has deliveries with every attempt and the time of the next", async () => {
    const { send } = receiver(() => new Response(null, { status: 500 }));
    const { mock, state, submitted } = watched({ sendWebhook: send });
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

  test("has the ledgers of all keys, and no whole token but those that every server has", async () => {
    const { mock, state, submitted, get } = watched();
    const made = await mock.createKey({ credits: 40, name: "shop" });
    const jobId = await submitted();
    const { keys } = await state();
    expect(keys.at(-1)).toMatchObject({ name: "shop", token: null, credits: 40 });
    expect(keys[0]?.ledger).toMatchObject({
      total: 2,
      latest: [{ credits: -8, cause: "tryon", job_id: jobId }, { credits: 1_000 }],
    });
    const text = await (await get("/__mock/state")).text();
    expect(text).not.toContain(made.token);
    expect(text).not.toContain(made.webhookSecret);
  });

  test("has what is going to go wrong, how jobs are going to end, and options off their default", async () => {
    const { mock, state } = watched({ options: { refund: "failed" } });
    mock.faults.add({ on: "webhook", times: 1, drop: true });
    mock.nextJob({ outcome: "storage_failed", durationMs: 5, apiKey: mock.keys.test });
    const { faults, next_jobs: nextJobs, options } = await state();
    expect(faults).toMatchObject([{ fault_id: "fault_1", on: "webhook", drop: true, struck: 0 }]);
    expect(nextJobs).toEqual([
      {
        outcome: "failed",
        error_message: "storage_failed",
        duration_ms: 5,
        api_key: "svc_test_…mock",
      },
    ]);
    expect(options).toMatchObject([{ id: "refund", value: "failed", default: "none" }]);
  });

  test("has another number after a reset and after a restore, and the same one in between", async () => {
    const { mock, state } = watched();
    const snapshot = await mock.snapshot();
    const numbers = [(await state()).epoch, (await state()).epoch];
    await mock.reset();
    numbers.push((await state()).epoch);
    await mock.restore(snapshot);
    numbers.push((await state()).epoch);
    expect(numbers).toEqual([1, 1, 2, 3]);
  });

  test("is told while a call is held, and leaves no trace in journal and faults", async () => {
    const { mock, state, submit } = watched();
    mock.faults.add({ on: "GET *", status: 500 });
    const held = submit({ wait: true });
    await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
    await expect.poll(async () => (await state()).jobs.counts.running).toBe(1);
    expect(mock.journal.entries()).toHaveLength(1);
    await mock.clock.advance("2s");
    expect((await held).status).toBe(200);
  });

  test.each(["?status=done", "?jobs=1", "?job=a&job=b"])("refuses %s", async (query) => {
    const { get } = watched();
    const response = await get(`/__mock/state${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: expect.any(String) as unknown });
  });
});
