import { describe, expect, test } from "vitest";

import type { MockOptions } from "../../mock.ts";
import { caller } from "../../../test/caller.ts";
import { controls } from "../../../test/controls.ts";
import { receiver } from "../../../test/receiver.ts";
import { withFaults } from "../../../test/with-faults.ts";

const start = Date.UTC(2026, 0, 1);
const webhookUrl = "https://shop.example/hook";
const empty = { status: 200, body: {} };

function setUp(options: MockOptions = {}) {
  const { send, received } = receiver();
  const server = withFaults({ sendWebhook: send, ...options });
  const { mock } = server;
  const call = caller(mock);
  const jobs = async () => (await call.list()).body.jobs;
  return { ...server, ...controls(mock.fetch, mock.baseUrl), call, jobs, received };
}

describe("the control API", () => {
  test("advances the clock by a duration, or until nothing is due", async () => {
    const { post, jobs, submit } = setUp();
    await submit({ webhook_url: webhookUrl });
    const now = start + 1_499;
    expect(await post("clock", { advance_ms: 1_499 })).toEqual({ status: 200, body: { now } });
    expect(await jobs()).toMatchObject([{ status: "running" }]);
    await post("clock", { advance_ms: 1 });
    expect(await jobs()).toMatchObject([{ status: "succeeded" }]);
    await submit();
    const { body } = await post("clock", { run_all: true });
    expect(Number(body["now"])).toBeGreaterThanOrEqual(start + 3_000);
    expect(await jobs()).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
  });

  test("advances the clock during a synchronous submission", async () => {
    const { post, submit } = setUp();
    const submission = submit({ wait: true });
    await post("clock", { advance_ms: 1_500 });
    expect((await submission).status).toBe(200);
  });

  test("restores a snapshot repeatedly, and resets to the start", async () => {
    const { mock, post, submit, jobs } = setUp();
    await submit();
    expect((await post("snapshot")).body).toEqual({ snapshot_id: "snap_1" });
    for (let time = 0; time < 2; time += 1) {
      await submit();
      await mock.clock.advance("1m");
      expect(await post("restore", { snapshot_id: "snap_1" })).toEqual(empty);
      expect(mock.clock.now()).toBe(start);
      expect(await jobs()).toHaveLength(1);
    }
    expect(await post("reset")).toEqual(empty);
    expect(await jobs()).toHaveLength(0);
    await post("restore", { snapshot_id: "snap_1" });
    expect(await jobs()).toHaveLength(1);
  });

  test("keeps the last 100 snapshots", async () => {
    const { post } = setUp();
    for (let count = 0; count < 101; count += 1) await post("snapshot");
    expect(await post("restore", { snapshot_id: "snap_2" })).toEqual(empty);
    const deleted = await post("restore", { snapshot_id: "snap_1" });
    expect(deleted.status).toBe(400);
    expect(deleted.body["detail"]).toMatch(/snapshot_id: .*"snap_1".*last 100/);
  });

  test("creates keys and tenants", async () => {
    const { mock, post, get } = setUp();
    const account = (key: Awaited<ReturnType<typeof post>>) =>
      caller(mock, String(key.body["api_key"])).account();
    const fields = { rate_limit_per_min: 3, name: "worker" };
    const key = await post("keys", { ...fields, credits: 7, account_id: "acct_mine" });
    expect(key).toMatchObject({ status: 200, body: { account_id: "acct_mine" } });
    expect(key.body["webhook_secret"]).toMatch(/^whsec_/);
    expect((await account(key)).body).toMatchObject({ ...fields, credits_remaining: 7 });
    expect((await account(await post("keys", { state: "disabled" }))).status).toBe(403);
    expect((await account(await post("keys", { account_state: "flagged" }))).status).toBe(403);
    const tenant = await post("tenants", { credits: 4 });
    expect(tenant.body["account_id"]).not.toBe("acct_mine");
    expect((await account(tenant)).body.credits_remaining).toBe(4);
    expect((await get(`ledger?api_key=${String(tenant.body["api_key"])}`)).body).toEqual({
      entries: [{ credits: 4, cause: "grant", at: start }],
      balance: 4,
    });
  });

  test("adds faults, lists them with their counts, and removes them", async () => {
    const { post, get, remove, account } = setUp();
    const on = "GET /api/v1/account";
    const faults = [
      { on, times: 1, status: 503, retry_after: 2 },
      { on, status: 500, headers: { "x-cache": "MISS" }, body: { a: 1 } },
      { on: "* *", latency_ms: { median: 5, p95: 9 } },
      { on: "POST *", cut_after_ms: 60_000, status: 524 },
      { on: "webhook", drop: true, probability: 0.5, after: 1 },
    ];
    for (const [index, fault] of faults.entries()) {
      expect((await post("faults", fault)).body).toEqual({ fault_id: `fault_${index + 1}` });
    }
    const first = await account();
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "2"]);
    const second = await account();
    expect([second.status, second.headers.get("x-cache")]).toEqual([500, "MISS"]);
    const counts = [1, 1, 0, 0, 0];
    const list = faults.map((fault, index) => {
      const count = counts[index];
      return { ...fault, fault_id: `fault_${index + 1}`, matched: count, applied: count };
    });
    expect((await get("faults")).body).toEqual({ faults: list });
    expect(await remove("faults/fault_2")).toEqual(empty);
    expect(await remove("faults/fault_2")).toMatchObject({ status: 404 });
    expect(await remove("faults")).toEqual(empty);
    expect((await get("faults")).body).toEqual({ faults: [] });
  });

  test("sets the outcome of the next job", async () => {
    const { mock, post, submit, jobs } = setUp();
    const outcome = { outcome: "failed", error_message: "no_face", duration_ms: 10 };
    await post("next-job", { ...outcome, api_key: mock.keys.live });
    await submit();
    await mock.clock.advance("10ms");
    expect(await jobs()).toMatchObject([{ status: "failed", error_message: "no_face" }]);
  });

  test("filters the journal by method, path, key and time", async () => {
    const { mock, get, post, submit, account } = setUp();
    await account();
    await post("clock", { advance_ms: 5_000 });
    await submit({ prompt: "blue" }, { "idempotency-key": "order-1" });
    expect((await get("journal")).body).toMatchObject({
      entries: [
        { method: "GET", path: "/api/v1/account", query: "", at: start, status: 200 },
        {
          method: "POST",
          path: "/api/v1/tryon",
          at: start + 5_000,
          api_key: "svc_live_…mock",
          idempotency_key: "order-1",
          status: 200,
          duration_ms: 0,
          replayed: false,
          fault_ids: [],
          submission: { fields: { prompt: "blue" } },
        },
      ],
      dropped: 0,
    });
    for (const [query, count] of [
      ["method=POST", 1],
      ["method=*&path=*", 2],
      ["path=/api/v1/*", 2],
      ["path=/api/v1/tryon", 1],
      [`since=${start + 1}`, 1],
      [`api_key=${mock.keys.live}`, 2],
      ["api_key=svc_live_…mock", 2],
      ["api_key=svc_live_nobody", 0],
    ] as const) {
      expect((await get(`journal?${query}`)).body["entries"], query).toHaveLength(count);
    }
  });

  test("waits for requests, and reports other requests after a timeout", async () => {
    const { mock, get, submit, account } = setUp();
    const waiting = get(
      `journal?method=POST&path=/api/v1/tryon&api_key=${mock.keys.live}&wait_for_count=2`,
    );
    await submit();
    await account();
    await submit();
    expect(await waiting).toMatchObject({ status: 200, body: { entries: [{}, {}] } });
    const timeout = await get("journal?method=DELETE&wait_for_count=1&timeout_ms=1");
    expect(timeout.status).toBe(408);
    expect(timeout.body["detail"]).toMatch(/^0 of 1 .* of DELETE \* .* within 1 ms/);
    expect(timeout.body["detail"]).toContain("POST /api/v1/tryon, 200");
  });

  test("lists deliveries, and repeats them", async () => {
    const { get, post, submitted, mock, received } = setUp();
    const job_id = await submitted({ webhook_url: webhookUrl });
    await mock.clock.advance("2s");
    const [delivery] = await mock.webhooks.deliveries();
    const id = delivery?.id ?? "";
    expect((await get(`deliveries?job_id=${job_id}`)).body["deliveries"]).toEqual([
      {
        delivery_id: id,
        job_id,
        url: webhookUrl,
        cause: "job",
        repeats: null,
        state: "delivered",
        body: delivery?.body,
        signature: delivery?.signature,
        attempts: [{ at: start + 1_500, status: 204, ms: 0 }],
      },
    ]);
    expect((await get("deliveries?job_id=job_other")).body).toEqual({ deliveries: [] });
    for (const cause of ["replay", "tamper", "duplicate"]) {
      expect(await post(`deliveries/${id}/${cause}`)).toMatchObject({
        status: 200,
        body: { cause, repeats: id, state: "delivered", attempts: [{ status: 204 }] },
      });
    }
    expect(received).toHaveLength(4);
    const unknown = await post("deliveries/dlv_none/replay");
    expect(unknown.status).toBe(404);
    expect(unknown.body["detail"]).toMatch(/^delivery_id "dlv_none" is unknown/);
  });

  test("settles payments", async () => {
    const { post, call } = setUp();
    const { body } = await call.purchase({
      pack_slug: "demo",
      shared_payment_granted_token: "spt_processing_1",
    });
    const path = `payments/${body.payment_intent_id}/settle`;
    expect(await post(path)).toEqual(empty);
    expect((await call.account()).body.credits_remaining).toBe(1_100);
    for (const status of ["", 5]) {
      const invalid = await post(path, { status });
      expect(invalid.status).toBe(400);
      expect(invalid.body["detail"]).toMatch(/^status must be a text such as "succeeded"/);
    }
    const unknown = await post("payments/pi_none/settle", { status: "succeeded" });
    expect(unknown.status).toBe(404);
    expect(unknown.body["detail"]).toMatch(/^payment_intent_id "pi_none" is unknown/);
  });

  test("returns the options in force", async () => {
    const { get, mock } = setUp({ profile: "alternate" });
    expect((await get("options")).body).toEqual({ options: { ...mock.options } });
  });
});
