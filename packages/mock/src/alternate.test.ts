import { describe, expect, test } from "vitest";

import { manualServer } from "../test/caller.ts";
import { receiver } from "../test/receiver.ts";

function setUp() {
  const hooks = receiver((attempt) => new Response(null, { status: attempt === 1 ? 500 : 200 }));
  const server = manualServer({ profile: "alternate", sendWebhook: hooks.send });
  return { ...server, received: hooks.received };
}

describe("the profile alternate", () => {
  test("polls and delivers an asynchronous try-on", async () => {
    const { mock, call, received } = setUp();
    const { body } = await call.submit({ webhook_url: "https://a.example/hook", wait: "false" });
    expect(body).toEqual({ job_id: expect.stringMatching(/^job_/), status: "running" });
    expect((await call.poll(body.job_id)).status).toBe(404);
    expect((await call.list()).body.jobs).toEqual([]);
    await mock.clock.advance("30s");
    const { body: job, headers } = await call.poll(body.job_id);
    expect(job).toMatchObject({
      status: "succeeded",
      created_at: "2026-01-01T00:00:00",
      seed: expect.any(Number),
      cost_credits: 8,
    });
    expect(headers.get("x-ratelimit-limit")).toBeNull();
    expect(new URL(job.result_url ?? "").host).toBe("results.tryon-mock.test");
    expect((await mock.fetch(job.result_url ?? "")).status).toBe(200);
    expect(received.map((hook) => hook.body["status"])).toEqual(["succeeded", "succeeded"]);
    expect(received[0]?.body["result_url"]).not.toBe(received[1]?.body["result_url"]);
    expect((await call.list("?status=succeeded")).body.jobs).toHaveLength(1);
  });

  test("runs a synchronous try-on once under its key", async () => {
    const { mock, call } = setUp();
    const key = { "idempotency-key": "order-1" };
    const sync = call.submit({ wait: true }, key);
    await mock.clock.advance("1s");
    expect((await call.submit({ wait: true }, key)).status).toBe(409);
    await mock.clock.advance("1s");
    const { body } = await sync;
    expect(Object.keys(body).toSorted()).toEqual([
      "cost_credits",
      "credits_remaining",
      "job_id",
      "result_url",
      "status",
    ]);
    expect((await call.submit({ wait: true, seed: -1 }, key)).status).toBe(400);
    const again = await call.submit({ wait: true }, key);
    expect(again.body).toMatchObject({ job_id: body.job_id, status: "succeeded" });
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test("buys a pack once per token", async () => {
    const { mock, call } = setUp();
    const order = { pack_slug: "demo", shared_payment_granted_token: "spt_1" };
    expect((await call.purchase(order)).body).toMatchObject({ credits_added: 100 });
    expect((await call.purchase(order)).status).toBe(409);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_100);
  });
});
