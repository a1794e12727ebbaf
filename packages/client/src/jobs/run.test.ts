import { describe, expect, it } from "vitest";

import { isTryOnError, type Update } from "../index.ts";
import {
  respondWith,
  assetBytes,
  createService,
  cut,
  fieldsOf,
  input,
} from "../../test/service.ts";

/** Opens a service behind a proxy that cuts every response after 10 seconds. */
const behindProxy = (latency: string) => {
  const service = createService({ latency, options: { syncCut: "off" } });
  service.mock.faults.add({ on: "POST /api/v1/tryon", cutAfter: "10s", status: 504 });
  return service;
};

describe("run", () => {
  it("makes a try-on in one synchronous request and returns image and receipt", async () => {
    const { run, tryon, submissions, sent, balance } = createService();
    const result = await run(
      tryon.run({
        person: assetBytes("person.jpg"),
        garments: [new Blob([assetBytes("shirt.png")])],
        size: "2k",
      }),
    );
    expect(submissions()).toHaveLength(1);
    expect(sent).toHaveLength(1);
    expect(fieldsOf(submissions()[0])).toMatchObject({ wait: true, output_size: "2K" });
    const bytes = await run(result.image.bytes());
    expect([...bytes.subarray(1, 4)]).toEqual([...new TextEncoder().encode("PNG")]);
    expect(result.receipt).toMatchObject({
      jobId: result.job.id,
      idempotencyKey: submissions()[0]?.headers.get("idempotency-key"),
      credits: 12,
      balance: 988,
    });
    expect(await balance()).toBe(988);
  });

  it("polls the same job when the service ends the synchronous wait after 90 seconds", async () => {
    const { run, tryon, submissions, balance } = createService({
      latency: "150s",
      options: { syncCut: "off" },
    });
    const phases: string[] = [];
    const result = await run(tryon.run(input, { onUpdate: ({ phase }) => phases.push(phase) }));
    expect(submissions()).toHaveLength(1);
    expect(result.job.data).toMatchObject({ status: "succeeded" });
    expect(phases.slice(0, 2)).toEqual(["sending", "waiting"]);
    expect(phases.at(-1)).toBe("succeeded");
    expect(await balance()).toBe(992);
  });

  it.each([
    { after: "5s", status: 408 },
    { after: "30s", status: 502 },
    { after: "60s", status: 504 },
    { after: "89s", status: 524 },
  ])(
    "finds the job and pays once when a proxy ends the wait with $status after $after, and then polls",
    async ({ after, status }) => {
      const { run, tryon, submissions, keys, bodies, faults, balance } = createService({
        latency: "100s",
        options: { syncCut: "off" },
      });
      faults.push({ cutAfter: after, status });
      const { job, receipt } = await run(tryon.run(input));
      expect(receipt).toMatchObject({ jobId: job.id });
      expect(receipt.attempts[0]).toMatchObject({ status });
      expect(submissions().length).toBeGreaterThan(1);
      expect([keys().size, bodies().size]).toEqual([1, 1]);
      expect((await run(tryon.jobs.list().toArray())).map(({ id }) => id)).toEqual([job.id]);
      expect(await balance()).toBe(992);
      await run(tryon.run(input));
      expect(fieldsOf(submissions().at(-1))).toMatchObject({ wait: false });
    },
  );

  describe("behind a proxy that cuts every response after 10 seconds", () => {
    it("waits for a job of 80 seconds, and pays once", async () => {
      const { run, tryon, keys, balance } = behindProxy("80s");
      const { receipt } = await run(tryon.run(input));
      const statuses = receipt.attempts.map(({ status }) => status);
      // A service can also refuse a repeat while the first request waits.
      expect(statuses.filter((status) => status !== 504 && status !== 409)).toEqual([200]);
      expect(statuses.length).toBeGreaterThan(5);
      expect([keys().size, await balance()]).toEqual([1, 992]);
    });

    it("polls a job of 5 minutes once a response can take no longer", async () => {
      const { run, tryon, sent, balance } = behindProxy("5m");
      const { job } = await run(tryon.run(input, { timeout: "10m" }));
      const poll = sent.find(({ path }) => path.endsWith(job.id));
      expect((poll?.at ?? 0) - (sent[0]?.at ?? 0)).toBeLessThan(110_000);
      expect(await balance()).toBe(992);
    });

    it("retries as often as usual if every response is cut after 90 seconds too", async () => {
      const { error, tryon, mock, submissions } = createService();
      mock.faults.add({ on: "POST /api/v1/tryon", latency: "10s", status: 504 });
      expect(await error(tryon.run(input))).toMatchObject({ code: "server_error" });
      const times = submissions().map(({ at }) => at - (submissions()[0]?.at ?? 0));
      expect(times.filter((time) => time > 90_000).length).toBeLessThanOrEqual(4);
      expect(times.length).toBeGreaterThan(8);
    });
  });

  it("throws job_failed with the reason of the service and the job", async () => {
    const { error, tryon } = createService();
    const failed = await error(tryon.run({ ...input, prompt: "mock:content_blocked" }));
    if (!isTryOnError(failed, "job_failed")) throw failed;
    expect(failed).toMatchObject({
      error_code: "generation_failed",
      error_message: "content_blocked",
      isContentBlocked: true,
      job: { status: "failed" },
    });
  });

  it("ends with an error that shows a status it does not know, once the job has ended", async () => {
    const { error, run, tryon, faults } = createService({ latency: "5m" });
    const job = await run(tryon.submit(input));
    const unknown = { ...job.data, status: "cancelled" };
    faults.push(
      respondWith(200, unknown),
      respondWith(200, { ...unknown, completed_at: "2026-01-01T00:01:00Z" }),
    );
    const failed = await error(job.result());
    expect(failed).toMatchObject({ code: "unexpected_response", job: { id: job.id } });
    expect(String(failed)).toContain('"cancelled"');
  });

  it("adds the job to the error when the timeout ends the wait", async () => {
    const { error, run, tryon, mock, balance } = createService({
      latency: "10m",
      options: { syncCut: "off" },
    });
    const late = await error(tryon.run(input, { timeout: "3m" }));
    if (!isTryOnError(late, "wait_timed_out")) throw late;
    expect(late.message).toContain("billed once");
    expect(mock.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(181_000);
    const result = await run(late.job.result());
    expect(result.job.id).toBe(late.job.id);
    expect(await balance()).toBe(992);
  });

  it("continues to wait after polls that fail", async () => {
    const { run, tryon, faults } = createService({ latency: "40s" });
    const failures = [respondWith(503, "<h1>busy</h1>"), cut.before, respondWith(200, "<html>")];
    faults.push(undefined, ...failures, ...failures, ...failures);
    const result = await run(tryon.run(input, { sync: false }));
    expect(result.job.status).toBe("succeeded");
  });

  it("reports the key before it sends a request", async () => {
    const { run, tryon, sent } = createService();
    const updates: [requests: number, update: Update][] = [];
    const onUpdate = (update: Update) => updates.push([sent.length, update]);
    await run(tryon.run(input, { idempotencyKey: "order-17", onUpdate }));
    expect(updates[0]).toEqual([0, { phase: "sending", idempotencyKey: "order-17" }]);
  });

  const oops = new Error("oops");
  it.each([
    [
      "throws",
      () => {
        throw oops;
      },
    ],
    ["rejects", () => Promise.reject(oops)],
  ])("continues if onUpdate %s, and logs one warning", async (_how, onUpdate) => {
    const warnings: unknown[] = [];
    const logger = { warn: (_message: string, details: unknown) => warnings.push(details) };
    const { run, tryon } = createService({ latency: "20s" }, { logger });
    const { job } = await run(tryon.run(input, { sync: false, onUpdate }));
    expect(job.status).toBe("succeeded");
    expect(warnings).toEqual([oops]);
  });

  it("submits without a synchronous wait if the timeout is too short or the input says so", async () => {
    const { run, tryon, submissions } = createService();
    await run(tryon.run(input, { timeout: "100s" }));
    await run(tryon.run({ ...input, mode: "async" }));
    await run(tryon.run(input, { sync: false }));
    await run(tryon.run({ ...input, wait: false }, { sync: true }));
    const waits = submissions().map((sent) => fieldsOf(sent)["wait"]);
    expect(waits).toEqual([false, false, false, true]);
  });
});
