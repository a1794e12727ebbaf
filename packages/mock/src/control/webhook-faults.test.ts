import { describe, expect, test } from "vitest";

import { receiver } from "../../test/receiver.ts";
import { withFaults } from "../../test/with-faults.ts";

function setUp() {
  const hooks = receiver();
  const server = withFaults({ sendWebhook: hooks.send });
  const end = async () => {
    await server.submit({ webhook_url: "https://shop.example/hook" });
    await server.mock.clock.advance("1h");
    return server.mock.webhooks.deliveries();
  };
  return { ...server, hooks, end };
}

describe("a fault on webhooks", () => {
  test("that drops: the attempt fails, the next one arrives", async () => {
    const { mock, hooks, end } = setUp();
    mock.faults.add({ on: "webhook", times: 2, drop: true });
    const [delivery] = await end();
    expect(hooks.received).toHaveLength(1);
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [
        { status: null, error: "The webhook was dropped by fault_1." },
        { status: null },
        { status: 204, error: null },
      ],
    });
  });

  test("that resets before: the receiver has got nothing", async () => {
    const { mock, hooks, end } = setUp();
    mock.faults.add({ on: "webhook", reset: "before" });
    const [delivery] = await end();
    expect(hooks.received).toHaveLength(0);
    expect(delivery).toMatchObject({ state: "given-up" });
  });

  test("that resets after: the receiver has it, and gets it again", async () => {
    const { mock, hooks, end } = setUp();
    mock.faults.add({ on: "webhook", times: 1, reset: "after" });
    const [delivery] = await end();
    expect(hooks.received.map(({ body }) => body["job_id"])).toEqual([
      delivery?.jobId,
      delivery?.jobId,
    ]);
    expect(delivery?.attempts).toMatchObject([
      { status: null, error: "fetch failed" },
      { status: 204 },
    ]);
  });

  test("with latency holds it up on the server's clock, for longer than a receiver may take", async () => {
    const { mock, hooks, submit } = setUp();
    hooks.watch(mock.clock);
    mock.faults.add({ on: "webhook", times: 1, latency: "1m" });
    await submit({ webhook_url: "https://shop.example/hook" });
    await mock.clock.advance(61_499);
    expect(hooks.received).toHaveLength(0);
    expect(await mock.webhooks.deliveries()).toMatchObject([{ state: "pending", attempts: [] }]);
    await mock.clock.advance(1);
    expect(hooks.received).toHaveLength(1);
    expect(await mock.webhooks.deliveries()).toMatchObject([
      { state: "delivered", attempts: [{ status: 204, at: mock.clock.now(), durationMs: 0 }] },
    ]);
    expect(mock.clock.pending).toBe(0);
  });

  test("with latency lets later faults strike too, and holds up one attempt and its retry alike", async () => {
    const { mock, hooks, end } = setUp();
    hooks.watch(mock.clock);
    mock.faults.add({ on: "webhook", times: 2, latency: "2s" });
    mock.faults.add({ on: "webhook", times: 1, latency: "500ms", drop: true });
    const start = mock.clock.now();
    const [delivery] = await end();
    // The job ends at 1.5 s; 2.5 s later its event is dropped, and the retry 1 s after that comes 2 s late.
    expect(delivery?.attempts.map(({ at }) => at - start)).toEqual([4_000, 7_000]);
    expect(hooks.received.map(({ at }) => at - start)).toEqual([7_000]);
  });

  test("with latency holds up what is replayed, and ends when the server is closed", async () => {
    const { mock, hooks, end } = setUp();
    const [delivery] = await end();
    mock.faults.add({ on: "webhook", latency: "1h" });
    const replayed = mock.webhooks.replay(delivery?.id ?? "");
    await mock.clock.advance("30m");
    expect(hooks.received).toHaveLength(1);
    mock.close();
    expect(await replayed).toMatchObject({ state: "pending", attempts: [] });
    expect(hooks.received).toHaveLength(1);
    expect(mock.clock.pending).toBe(0);
  });

  test("with latency begins anew in a server that is put back to a snapshot", async () => {
    const { mock, hooks, submit } = setUp();
    mock.faults.add({ on: "webhook", times: 2, latency: "10s" });
    await submit({ webhook_url: "https://shop.example/hook" });
    await mock.clock.advance("5s");
    const snapshot = await mock.snapshot();
    await mock.clock.advance("1m");
    expect(hooks.received).toHaveLength(1);
    await mock.restore(snapshot);
    await mock.clock.advance("9999ms");
    expect(hooks.received).toHaveLength(1);
    await mock.clock.advance(1);
    expect(hooks.received).toHaveLength(2);
  });

  test("is none on calls, and a fault on calls is none on webhooks", async () => {
    const { mock, hooks, end, account } = setUp();
    mock.faults.add({ on: "webhook", drop: true });
    expect((await account()).status).toBe(200);
    mock.faults.clear();
    mock.faults.add({ on: "* *", status: 200, after: 1, body: "none" });
    await end();
    expect(hooks.received).toHaveLength(1);
  });
});
