import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, finished, manualServer } from "../../test/caller.ts";
import { receiver } from "../../test/receiver.ts";
import { covers } from "../../test/covers.ts";

test("latency by size gives each job a duration from the seed, with these percentiles", async () => {
  const latency = { "1K": { p50: "8s", p90: "14s" }, "4K": { p50: 20_000, p90: 20_000 } } as const;
  const durations = async (seed: string, size: string, count: number): Promise<number[]> => {
    const mock = createMock({ clock: "manual", seed, latency });
    const key = { credits: 100_000, rateLimitPerMinute: 1_000 };
    const call = caller(mock, (await mock.createKey(key)).token);
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push((await call.submit({ output_size: size })).body.job_id);
    }
    await mock.clock.advance("1h");
    const jobs = await Promise.all(ids.map((id) => call.poll(id)));
    mock.close();
    return jobs.map(({ body }) => Number(body.duration_ms)).toSorted((one, other) => one - other);
  };
  const all = await durations("one", "1K", 500);
  expect(await durations("one", "1K", 500)).toEqual(all);
  expect(await durations("two", "1K", 5)).not.toEqual(await durations("one", "1K", 5));
  expect(all[250]).toBeGreaterThan(7_300);
  expect(all[250]).toBeLessThan(8_700);
  expect(all[450]).toBeGreaterThan(12_500);
  expect(all[450]).toBeLessThan(15_500);
  expect(await durations("one", "4K", 1)).toEqual([20_000]);
  // Sizes without percentiles have the default.
  expect(await durations("one", "2K", 1)).toEqual([1_500]);
});

describe("an asynchronous job", () => {
  test("is running at once, and succeeds after the latency", async () => {
    covers("states.async.running");
    const { mock, call } = manualServer({ latency: "3s" });
    const { body } = await call.submit();
    expect(body.status).toBe("running");
    await mock.clock.advance("2999ms");
    expect((await call.poll(body.job_id)).body.status).toBe("running");
    await mock.clock.advance("1ms");
    expect((await call.poll(body.job_id)).body).toMatchObject({
      status: "succeeded",
      duration_ms: 3_000,
      completed_at: "2026-01-01T00:00:03Z",
    });
  });

  test.each([
    ["mock:content_blocked", "generation_failed", "content_blocked"],
    ["mock:model_rejected", "model_rejected", "model_rejected"],
    ["mock:storage_failed", "storage_failed", "storage_failed"],
  ])("that fails by %s has the code %s with errorCodes cause", async (prompt, code, message) => {
    covers("errors.after-model.other-codes", "content.blocked.outcome");
    const hooks = receiver();
    const options = { errorCodes: "cause" } as const;
    const mock = createMock({ clock: "manual", options, sendWebhook: hooks.send });
    const webhook_url = "https://shop.example/hook";
    const job = await finished(mock, caller(mock), { prompt, webhook_url });
    expect(job).toMatchObject({ status: "failed", error_code: code, error_message: message });
    expect(hooks.received[0]?.body).toMatchObject({ error_code: code, error_message: message });
    mock.nextJob({ outcome: "failed" });
    expect((await finished(mock, caller(mock))).error_code).toBe("generation_failed");
  });

  test.each([null, "mock:content_blocked"])("keeps its final state (prompt %s)", async (prompt) => {
    covers("states.terminal.final");
    const { mock, call } = manualServer();
    const { result_url: _signedAgain, ...job } = await finished(mock, call, { prompt });
    expect(job.status).toBe(prompt === null ? "succeeded" : "failed");
    for (const span of ["1s", "1h", "29d"] as const) {
      await mock.clock.advance(span);
      expect((await call.poll(job.job_id)).body).toMatchObject(job);
    }
  });

  test("has the duration of its prompt, or never ends", async () => {
    const { mock, call } = manualServer();
    const slow = (await call.submit({ prompt: "mock:slow=20000" })).body.job_id;
    const never = (await call.submit({ prompt: "mock:never" })).body.job_id;
    await mock.clock.advance("19s");
    expect((await call.poll(slow)).body.status).toBe("running");
    await mock.clock.advance("1s");
    expect((await call.poll(slow)).body).toMatchObject({
      status: "succeeded",
      duration_ms: 20_000,
    });
    await mock.clock.advance("30d");
    expect((await call.poll(never)).body.status).toBe("running");
  });

  test("ignores its prompt with magic: false", async () => {
    const { mock, call } = manualServer({ magic: false });
    const job = await finished(mock, call, { prompt: "mock:content_blocked" });
    expect(job.status).toBe("succeeded");
    expect((await call.submit({ person_url: "https://gone.invalid/p.png" })).status).toBe(200);
  });

  test.each(["mock:content_blockedly", "xmock:never", "mock: never", "Mock:never"])(
    "ignores the prompt %j",
    async (prompt) => {
      const mock = createMock({ clock: "manual" });
      expect((await finished(mock, caller(mock), { prompt })).status).toBe("succeeded");
    },
  );

  test("is rejected with 400 for an image at an .invalid host", async () => {
    covers("submit.400.image-fetch-failed");
    const mock = createMock({ clock: "manual" });
    const rejected = await caller(mock).submit({
      garment_urls: ["https://a.example/g.png", "https://gone.invalid/g.png"],
    });
    expect(rejected.status).toBe(400);
    expect(rejected.detail).toMatch(/^garment_urls\[1\]: image fetch failed/);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });
});

describe("a synchronous job", () => {
  test("gets a message with the poll path after 90 s, and continues", async () => {
    covers("states.sync.running-at-limit", "submit-response.message.names-poll-path");
    const { mock, call } = manualServer();
    let responded = false;
    const request = call.submit({ wait: true, prompt: "mock:slow=100000" });
    void request.then(() => (responded = true));
    await mock.clock.advance(89_999);
    expect(responded).toBe(false);
    await mock.clock.advance(1);
    const { body } = await request;
    expect(body).toMatchObject({ status: "running", result_url: null, error_code: null });
    expect(body.message).toContain(`/api/v1/tryon/${body.job_id}`);
    await mock.clock.advance("10s");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
  });

  test("gets a 504 after 30 s with syncCut 30, and continues", async () => {
    covers("states.sync.cut-short", "states.sync.job-goes-on");
    const { mock, call } = manualServer({ options: { syncCut: 30 } });
    const request = call.submit({ wait: true, prompt: "mock:slow=60000" });
    await mock.clock.advance("30s");
    const cut = await request;
    expect(cut.status).toBe(504);
    expect(cut.headers.get("content-type")).toContain("text/html");
    const [job] = (await call.list()).body.jobs;
    expect(job?.status).toBe("running");
    await mock.clock.advance("30s");
    expect((await call.poll(job?.job_id ?? "")).body.status).toBe("succeeded");
    const quick = call.submit({ wait: true });
    await mock.clock.advance("2s");
    expect((await quick).body.status).toBe("succeeded");
  });
});

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
    covers("submit-response.status.values");
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
    expect((await call.submit()).body.status).toBe("queued");
    expect((await call.list("?status_filter=queued")).body.jobs).toHaveLength(2);
    expect((await call.list("?status_filter=running")).body.jobs).toHaveLength(1);
    await mock.clock.advance("20s");
    expect((await call.list("?status_filter=succeeded")).body.jobs).toHaveLength(3);
  });

  test("are still queued in the response to a synchronous request after 90 s", async () => {
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
    const withoutCredits = caller(mock, mock.keys.empty);
    expect((await withoutCredits.submit()).status).toBe(402);
    expect((await caller(mock).submit()).body.status).toBe("running");
  });
});
