import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, finished, manualServer } from "../../test/caller.ts";
import { withReceiver, type ReceiverResponse } from "../../test/receiver.ts";

const hook = "https://shop.example/hook";
const failing: ReceiverResponse = () => new Response(null, { status: 500 });

describe("a restored server", () => {
  test("repeats a delivery attempt that was in progress", async () => {
    let hangs = true;
    const { mock, call, received } = withReceiver(() =>
      hangs ? new Promise<Response>(() => undefined) : new Response(),
    );
    await call.submit({ webhook_url: hook });
    await mock.clock.advance("3s");
    const snapshot = await mock.snapshot();
    hangs = false;
    await mock.restore(snapshot);
    expect(received[0]?.request.signal.aborted).toBe(true);
    await mock.clock.advance("1h");
    const start = Date.UTC(2026, 0, 1);
    expect(received.map(({ at }) => at - start)).toEqual([1_500, 3_000]);
    expect(await mock.webhooks.deliveries()).toMatchObject([
      { state: "delivered", attempts: [{ status: 200 }] },
    ]);
  });

  test("does not call the engine again", async () => {
    let rendered = 0;
    const { mock, call } = manualServer({
      concurrency: 1,
      engine: {
        name: "counting",
        render: async () => {
          rendered += 1;
          throw new Error("no image");
        },
      },
    });
    await call.submit();
    await call.submit();
    const snapshot = await mock.snapshot();
    expect(rendered).toBe(2);
    for (let again = 0; again < 2; again += 1) {
      await mock.restore(snapshot);
      await mock.clock.advance("1m");
      expect((await call.list("?status_filter=failed")).body.jobs).toHaveLength(2);
    }
    expect(rendered).toBe(2);
    // The slots of ended jobs are free.
    await mock.restore(await mock.snapshot());
    expect((await finished(mock, call)).status).toBe("failed");
  });

  test("rejects synchronous requests, and responds when they are repeated", async () => {
    const { mock, call } = manualServer();
    const key = { "idempotency-key": "order-1" };
    const response = call.submit({ wait: true }, key).catch(String);
    void call.submit({ wait: true, prompt: "mock:never" }).catch(String);
    await mock.clock.advance("1s");
    const snapshot = await mock.snapshot();
    await mock.restore(snapshot);
    expect(await response).toContain("put back into an earlier state");
    // Timers of the first job, and of the only request that can be repeated.
    expect(mock.clock.pending).toBe(2);
    const repeated = call.submit({ wait: true }, key);
    await mock.clock.advance("1s");
    expect((await repeated).body.status).toBe("succeeded");
    expect((await call.list()).body.jobs).toHaveLength(2);
  });

  test("responds to a repeated request 90 s after the first", async () => {
    const { mock, call } = manualServer();
    const key = { "idempotency-key": "order-1" };
    const slow = { wait: true, prompt: "mock:slow=100000" };
    void call.submit(slow, key).catch(String);
    await mock.clock.advance("60s");
    await mock.restore(await mock.snapshot());
    let responded = false;
    const repeated = call.submit(slow, key).finally(() => (responded = true));
    await mock.clock.advance(29_999);
    expect(responded).toBe(false);
    await mock.clock.advance(1);
    expect((await repeated).body.message).toContain("Not finished");
  });

  test("does not change with earlier work", async () => {
    let end: (() => void) | undefined;
    const { mock, call } = manualServer({
      engine: {
        name: "slow",
        render: () => new Promise((_resolve, reject) => (end = () => reject(new Error("no")))),
      },
    });
    const snapshot = await mock.snapshot();
    await call.submit();
    const moved = mock.clock.advance("2s");
    await expect.poll(() => end, { interval: 1 }).toBeDefined();
    await mock.restore(snapshot);
    end?.();
    expect(await moved).toBe(snapshot.takenAt);
    await mock.clock.runAll();
    expect((await call.list()).body.jobs).toEqual([]);
    expect(mock.clock.now()).toBe(snapshot.takenAt);
  });

  test("keeps the remaining time of other timers", async () => {
    const { mock } = manualServer();
    const start = mock.clock.now();
    const snapshot = await mock.snapshot();
    await mock.clock.advance("1h");
    const resumed = mock.clock.sleep(5_000).then(() => mock.clock.now());
    await mock.clock.advance("2s");
    await mock.restore(snapshot);
    await mock.clock.advance("3s");
    expect(await resumed).toBe(start + 3_000);
  });

  test("has the time of the snapshot on a real clock too", async () => {
    const mock = createMock({ latency: "1h" });
    const call = caller(mock);
    const { body } = await call.submit();
    const snapshot = await mock.snapshot();
    await mock.clock.advance("1h");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
    await mock.restore(snapshot);
    expect(Math.abs(mock.clock.now() - snapshot.takenAt)).toBeLessThan(60_000);
    expect((await call.poll(body.job_id)).body.status).toBe("running");
    await mock.clock.advance("1h");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
    mock.close();
  });

  test("requires its own snapshot", async () => {
    const [{ mock }, other] = [manualServer(), manualServer()];
    await expect(mock.restore(await other.mock.snapshot())).rejects.toThrow(
      /^snapshot belongs to another server/,
    );
  });
});

describe("a reset server", () => {
  test("has its default keys alone, and no counters, webhooks, faults or other state", async () => {
    const { mock, call, received } = withReceiver(failing);
    const limited = caller(mock, mock.keys.limited);
    const { token } = await mock.createKey();
    await call.submit({ webhook_url: hook });
    await mock.clock.advance("2s");
    await call.submit({ prompt: "mock:slow=60000", webhook_url: hook });
    await Promise.all([1, 2, 3, 4, 5].map(() => limited.account()));
    mock.nextJob({ outcome: "content_blocked" });
    mock.faults.add({ on: "GET /api/v1/account", status: 503 });

    await mock.reset();
    expect(mock.clock.now()).toBe(Date.UTC(2026, 0, 1));
    expect(mock.clock.pending).toBe(0);
    expect(mock.journal.entries()).toEqual([]);
    expect(mock.faults.list()).toEqual([]);
    expect(await mock.webhooks.deliveries()).toEqual([]);
    expect((await caller(mock, token).account()).status).toBe(401);
    expect((await limited.account()).status).toBe(200);
    await call.submit();
    await mock.clock.advance("1h");
    expect((await call.list()).body.jobs).toMatchObject([{ status: "succeeded" }]);
    expect(received).toHaveLength(1);
  });

  test.each(["back", undefined])(
    "has the ids of its seed again, or else new ones: %s",
    async (seed) => {
      const mock = createMock(seed === undefined ? {} : { seed });
      const jobId = async () => (await caller(mock).submit({ wait: false })).body.job_id;
      const snapshot = await mock.snapshot();
      const first = await jobId();
      await mock.reset();
      expect((await jobId()) === first).toBe(seed !== undefined);
      await mock.restore(snapshot);
      expect(await jobId()).toBe(first);
      mock.close();
    },
  );

  test("rejects synchronous requests, and can be restored to an earlier snapshot", async () => {
    const { mock, call } = manualServer();
    const { body } = await call.submit();
    const snapshot = await mock.snapshot();
    const response = call.submit({ wait: true }).catch(String);
    await mock.clock.advance("1s");
    await mock.reset();
    expect(await response).toContain("was reset");
    await mock.restore(snapshot);
    await mock.clock.advance("2s");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
  });

  test("is empty at once, before the promise resolves", async () => {
    const { mock, call } = manualServer();
    await call.submit();
    void mock.reset();
    expect((await call.list()).body.jobs).toEqual([]);
  });

  test("has the machine's time on a real clock", async () => {
    const mock = createMock();
    await mock.clock.advance("30d");
    await mock.reset();
    expect(Math.abs(mock.clock.now() - Date.now())).toBeLessThan(60_000);
    mock.close();
  });

  test("rejects when it is closed", async () => {
    const { mock } = manualServer();
    const snapshot = await mock.snapshot();
    mock.close();
    await expect(mock.reset()).rejects.toThrow("has been closed");
    await expect(mock.restore(snapshot)).rejects.toThrow("has been closed");
    await expect(mock.snapshot()).rejects.toThrow("has been closed");
  });
});
