import { describe, expect, test } from "vitest";

import { withReceiver } from "../../test/receiver.ts";

const on = "webhook";
const webhook_url = "https://shop.example/hook";

function setUp() {
  const { mock, call, received } = withReceiver();
  const finish = async () => {
    await call.submit({ webhook_url });
    await mock.clock.advance("1h");
    return mock.webhooks.deliveries();
  };
  return { mock, call, received, finish };
}

describe("a webhook fault", () => {
  test.each([
    ["drop", { times: 2, drop: true }, "delivered", 1],
    ["reset before", { reset: "before" }, "given-up", 0],
    ["reset after", { times: 1, reset: "after" }, "delivered", 2],
  ] as const)("%s fails the attempt, and the server retries", async (name, fault, state, count) => {
    const { mock, received, finish } = setUp();
    mock.faults.add({ on, ...fault });
    const [delivery] = await finish();
    expect(delivery?.state).toBe(state);
    expect(received.map(({ body }) => body["job_id"])).toEqual(
      Array.from({ length: count }, () => delivery?.jobId),
    );
    const error = name === "drop" ? "The webhook was dropped by fault_1." : "fetch failed";
    const failures = "times" in fault ? fault.times : 4;
    expect(delivery?.attempts.map((attempt) => [attempt.status, attempt.error])).toEqual([
      ...Array.from({ length: failures }, () => [null, error]),
      ...(state === "delivered" ? [[204, null]] : []),
    ]);
  });

  test("with latency delays the webhook by more than a receiver may take", async () => {
    const { mock, call, received } = setUp();
    mock.faults.add({ on, times: 1, latency: "1m" });
    await call.submit({ webhook_url });
    await mock.clock.advance(61_499);
    expect(received).toHaveLength(0);
    expect(await mock.webhooks.deliveries()).toMatchObject([{ state: "pending", attempts: [] }]);
    await mock.clock.advance(1);
    expect(received).toHaveLength(1);
    expect(await mock.webhooks.deliveries()).toMatchObject([
      { state: "delivered", attempts: [{ status: 204, at: mock.clock.now(), durationMs: 0 }] },
    ]);
    expect(mock.clock.pending).toBe(0);
  });

  test("with latency adds to later faults and to retries", async () => {
    const { mock, received, finish } = setUp();
    mock.faults.add({ on, times: 2, latency: "2s" });
    mock.faults.add({ on, times: 1, latency: "500ms", drop: true });
    const start = mock.clock.now();
    const [delivery] = await finish();
    // The job ends at 1.5 s. Its event is dropped 2.5 s later; the retry 1 s after that has a delay of 2 s.
    expect(delivery?.attempts.map(({ at }) => at - start)).toEqual([4_000, 7_000]);
    expect(received.map(({ at }) => at - start)).toEqual([7_000]);
  });

  test("with latency delays replays, and ends when the server is closed", async () => {
    const { mock, received, finish } = setUp();
    const [delivery] = await finish();
    mock.faults.add({ on, latency: "1h" });
    const replayed = mock.webhooks.replay(delivery?.id ?? "");
    await mock.clock.advance("30m");
    mock.close();
    expect(await replayed).toMatchObject({ state: "pending", attempts: [] });
    expect(received).toHaveLength(1);
    expect(mock.clock.pending).toBe(0);
  });

  test("with latency starts again after a restore", async () => {
    const { mock, call, received } = setUp();
    mock.faults.add({ on, times: 2, latency: "10s" });
    await call.submit({ webhook_url });
    await mock.clock.advance("5s");
    const snapshot = await mock.snapshot();
    await mock.clock.advance("1m");
    expect(received).toHaveLength(1);
    await mock.restore(snapshot);
    await mock.clock.advance("9999ms");
    expect(received).toHaveLength(1);
    await mock.clock.advance(1);
    expect(received).toHaveLength(2);
  });

  test("does not apply to requests, nor a request fault to webhooks", async () => {
    const { mock, call, received, finish } = setUp();
    mock.faults.add({ on, drop: true });
    expect((await call.account()).status).toBe(200);
    mock.faults.clear();
    mock.faults.add({ on: "* *", status: 200, after: 1, body: "none" });
    await finish();
    expect(received).toHaveLength(1);
  });
});
