import { describe, expect, test } from "vitest";

import { receiver } from "../testing/receiver.ts";
import { steered } from "../testing/steered.ts";

function setUp() {
  const hooks = receiver();
  const server = steered({ sendWebhook: hooks.send });
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
