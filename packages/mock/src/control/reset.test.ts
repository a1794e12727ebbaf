import { expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { receiver } from "../../test/receiver.ts";

const order = { pack_slug: "demo", shared_payment_granted_token: "spt_once" };
const key = { "idempotency-key": "order-1" };

/** A server that has done something of every kind, and has more to do. */
async function busyServer() {
  const hooks = receiver(() => new Response(null, { status: 500 }));
  const mock = createMock({ clock: "manual", seed: "reset", sendWebhook: hooks.send });
  const call = caller(mock);
  await call.submit({ webhook_url: "https://shop.example/hook" }, key);
  await mock.clock.advance("2s");
  await call.submit({ prompt: "mock:slow=60000", webhook_url: "https://shop.example/hook" });
  await call.purchase(order);
  await Promise.all([1, 2, 3, 4, 5].map(() => caller(mock, mock.keys.limited).account()));
  mock.nextJob({ outcome: "content_blocked" });
  mock.faults.add({ on: "GET /api/v1/account", status: 503 });
  return { mock, call, hooks };
}

test("a reset forgets counters, webhooks and all else: no state leaks into the next test", async () => {
  const { mock, call, hooks } = await busyServer();
  expect((await call.account()).status).toBe(503);
  expect((await caller(mock, mock.keys.limited).list()).status).toBe(429);
  expect(hooks.received).toHaveLength(1);

  await mock.reset();
  expect(mock.journal.entries()).toEqual([]);
  expect(mock.faults.list()).toEqual([]);
  expect(await mock.webhooks.deliveries()).toEqual([]);
  expect(await mock.ledger(mock.keys.live)).toMatchObject({
    balance: 1_000,
    entries: [{ cause: "grant" }],
  });
  expect((await call.account()).body).toMatchObject({ total_calls: 1, credits_remaining: 1_000 });
  expect((await caller(mock, mock.keys.limited).account()).status).toBe(200);
  expect((await call.purchase(order)).body).toMatchObject({ credits_remaining: 1_100 });
  const { body, headers } = await call.submit({ seed: 5 }, key);
  expect(headers.get("idempotent-replayed")).toBeNull();
  await mock.clock.advance("1h");
  expect((await call.list()).body.jobs).toMatchObject([
    { job_id: body.job_id, status: "succeeded" },
  ]);
  expect(hooks.received).toHaveLength(1);
});

test("a server keeps what it is told from call to call", async () => {
  const { mock, call } = await busyServer();
  mock.faults.clear();
  expect((await call.list()).body.jobs.map(({ status }) => status)).toEqual([
    "running",
    "succeeded",
  ]);
  expect((await call.account()).body).toMatchObject({ total_calls: 5, credits_remaining: 1_084 });
});
