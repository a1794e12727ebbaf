import { describe, expect, test } from "vitest";

import type { MockOptions } from "../../mock.ts";
import { caller } from "../../../test/caller.ts";
import { controls } from "../../../test/controls.ts";
import { receiver } from "../../../test/receiver.ts";
import { withFaults } from "../../../test/with-faults.ts";

const start = Date.UTC(2026, 0, 1);
const hook = "https://shop.example/hook";

function setUp(options: MockOptions = {}) {
  const hooks = receiver();
  const server = withFaults({ sendWebhook: hooks.send, ...options });
  const { mock } = server;
  return { ...server, ...controls(mock.fetch, mock.baseUrl), call: caller(mock), hooks };
}

describe("the control API", () => {
  test("moves time by a length, or to the end of everything", async () => {
    const { post, call, submit } = setUp();
    await submit({ webhook_url: hook });
    expect(await post("clock", { advance_ms: 1_499 })).toEqual({
      status: 200,
      answer: { now: start + 1_499 },
    });
    expect((await call.list()).body.jobs).toMatchObject([{ status: "running" }]);
    await post("clock", { advance_ms: 1 });
    expect((await call.list()).body.jobs).toMatchObject([{ status: "succeeded" }]);
    await submit();
    const { answer } = await post("clock", { run_all: true });
    expect(Number(answer["now"])).toBeGreaterThanOrEqual(start + 3_000);
    expect((await call.list()).body.jobs).toMatchObject([
      { status: "succeeded" },
      { status: "succeeded" },
    ]);
  });

  test("moves a real clock ahead of the machine's", async () => {
    const { mock, post } = setUp({ clock: "real" });
    const before = mock.clock.now();
    const { answer } = await post("clock", { advance_ms: 3_600_000 });
    expect(Number(answer["now"])).toBeGreaterThanOrEqual(before + 3_600_000);
    mock.close();
  });

  test("moves time while a held submission waits for it", async () => {
    const { post, submit } = setUp();
    const held = submit({ wait: true });
    await post("clock", { advance_ms: 1_500 });
    expect((await held).status).toBe(200);
  });

  test("goes back: to a snapshot as often as one likes, and to the start", async () => {
    const { mock, post, submit, call } = setUp();
    await submit();
    const { answer } = await post("snapshot");
    expect(answer).toEqual({ snapshot_id: "snap_1" });
    for (let again = 0; again < 2; again += 1) {
      await submit();
      await mock.clock.advance("1m");
      expect(await post("restore", { snapshot_id: "snap_1" })).toEqual({ status: 200, answer: {} });
      expect(mock.clock.now()).toBe(start);
      expect((await call.list()).body.jobs).toHaveLength(1);
    }
    expect(await post("reset")).toEqual({ status: 200, answer: {} });
    expect((await call.list()).body.jobs).toHaveLength(0);
    await post("restore", { snapshot_id: "snap_1" });
    expect((await call.list()).body.jobs).toHaveLength(1);
  });

  test("keeps the last 100 snapshots", async () => {
    const { post } = setUp();
    for (let taken = 0; taken < 101; taken += 1) await post("snapshot");
    expect(await post("restore", { snapshot_id: "snap_2" })).toMatchObject({ status: 200 });
    const gone = await post("restore", { snapshot_id: "snap_1" });
    expect(gone.status).toBe(400);
    expect(gone.answer["detail"]).toMatch(/snapshot_id: .*"snap_1".*last 100/);
  });

  test("makes keys and tenants that work", async () => {
    const { mock, post, get } = setUp();
    const key = await post("keys", {
      mode: "live",
      credits: 7,
      rate_limit_per_min: 3,
      name: "worker",
      account_id: "acct_mine",
    });
    expect(key).toMatchObject({ status: 200, answer: { account_id: "acct_mine" } });
    expect(key.answer["webhook_secret"]).toMatch(/^whsec_/);
    const token = String(key.answer["api_key"]);
    expect((await caller(mock, token).account()).body).toMatchObject({
      credits_remaining: 7,
      rate_limit_per_min: 3,
      name: "worker",
    });
    const disabled = await post("keys", { state: "disabled" });
    const refused = await caller(mock, String(disabled.answer["api_key"])).account();
    expect(refused.status).toBe(403);
    const flagged = await post("keys", { account_state: "flagged" });
    expect((await caller(mock, String(flagged.answer["api_key"])).account()).status).toBe(403);
    const tenant = await post("tenants", { credits: 4 });
    expect(tenant.answer["account_id"]).not.toBe("acct_mine");
    const tenantKey = String(tenant.answer["api_key"]);
    expect((await caller(mock, tenantKey).account()).body.credits_remaining).toBe(4);
    expect(await get(`ledger?api_key=${tenantKey}`)).toEqual({
      status: 200,
      answer: { entries: [{ credits: 4, cause: "grant", at: start }], balance: 4 },
    });
  });

  test("adds faults, lists them with what they have done, and removes them", async () => {
    const { post, get, remove, account } = setUp();
    const on = "GET /api/v1/account";
    expect(await post("faults", { on, times: 1, status: 503, retry_after: 2 })).toEqual({
      status: 200,
      answer: { fault_id: "fault_1" },
    });
    await post("faults", { on, status: 500, headers: { "x-cache": "MISS" }, body: { a: 1 } });
    await post("faults", { on: "* *", latency_ms: { median: 5, p95: 9 } });
    await post("faults", { on: "POST *", cut_after_ms: 60_000, status: 524 });
    await post("faults", { on: "webhook", drop: true, probability: 0.5, after: 1 });
    const first = await account();
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "2"]);
    const second = await account();
    expect([second.status, second.headers.get("x-cache")]).toEqual([500, "MISS"]);
    expect((await get("faults")).answer).toEqual({
      faults: [
        { fault_id: "fault_1", on, times: 1, status: 503, retry_after: 2, met: 1, struck: 1 },
        {
          fault_id: "fault_2",
          on,
          status: 500,
          headers: { "x-cache": "MISS" },
          body: { a: 1 },
          met: 1,
          struck: 1,
        },
        { fault_id: "fault_3", on: "* *", latency_ms: { median: 5, p95: 9 }, met: 0, struck: 0 },
        {
          fault_id: "fault_4",
          on: "POST *",
          cut_after_ms: 60_000,
          status: 524,
          met: 0,
          struck: 0,
        },
        {
          fault_id: "fault_5",
          on: "webhook",
          drop: true,
          probability: 0.5,
          after: 1,
          met: 0,
          struck: 0,
        },
      ],
    });
    expect(await remove("faults/fault_2")).toEqual({ status: 200, answer: {} });
    expect(await remove("faults/fault_2")).toMatchObject({ status: 404 });
    expect(await remove("faults")).toEqual({ status: 200, answer: {} });
    expect((await get("faults")).answer).toEqual({ faults: [] });
  });

  test("says how the next job ends", async () => {
    const { mock, post, submit, call } = setUp();
    const api_key = mock.keys.live;
    await post("next-job", {
      outcome: "failed",
      error_message: "no_face",
      duration_ms: 10,
      api_key,
    });
    await submit();
    await mock.clock.advance("10ms");
    expect((await call.list()).body.jobs).toMatchObject([
      { status: "failed", error_message: "no_face" },
    ]);
  });

  test("shows the journal, by method, path, key and time", async () => {
    const { mock, get, post, submit, account } = setUp();
    await account();
    await post("clock", { advance_ms: 5_000 });
    await submit({ prompt: "blue" }, { "idempotency-key": "order-1" });
    const all = (await get("journal")).answer;
    expect(all).toMatchObject({
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
    const count = async (query: string) => {
      const { answer } = await get(`journal?${query}`);
      return Array.isArray(answer["entries"]) ? answer["entries"].length : answer;
    };
    expect(await count("method=POST")).toBe(1);
    expect(await count("method=*&path=*")).toBe(2);
    expect(await count("path=/api/v1/*")).toBe(2);
    expect(await count(`since=${start + 1}`)).toBe(1);
    expect(await count(`api_key=${mock.keys.live}`)).toBe(2);
    expect(await count("api_key=svc_live_nobody")).toBe(0);
  });

  test("waits for calls, and says after the time what came instead", async () => {
    const { mock, get, submit, account } = setUp();
    const waiting = get(
      `journal?method=POST&path=/api/v1/tryon&api_key=${mock.keys.live}&wait_for_count=2`,
    );
    await submit();
    await account();
    await submit();
    const { status, answer } = await waiting;
    expect([status, answer["entries"]]).toMatchObject([200, [{}, {}]]);
    const late = await get("journal?method=DELETE&wait_for_count=1&timeout_ms=1");
    expect(late.status).toBe(408);
    expect(late.answer["detail"]).toMatch(/^0 of 1 calls of DELETE \* .* within 1 ms/);
    expect(late.answer["detail"]).toContain("POST /api/v1/tryon, 200");
  });

  test("shows deliveries, and sends them again", async () => {
    const { get, post, submit, mock, hooks } = setUp();
    // The answer to a submission has its id.
    const { job_id } = (await (await submit({ webhook_url: hook })).json()) as { job_id: string };
    await mock.clock.advance("2s");
    const [delivery] = await mock.webhooks.deliveries();
    const id = delivery?.id ?? "";
    expect((await get(`deliveries?job_id=${job_id}`)).answer).toEqual({
      deliveries: [
        {
          delivery_id: id,
          job_id,
          url: hook,
          cause: "job",
          repeats: null,
          state: "delivered",
          body: delivery?.body,
          signature: delivery?.signature,
          attempts: [{ at: start + 1_500, status: 204, ms: 0 }],
        },
      ],
    });
    expect((await get("deliveries?job_id=job_other")).answer).toEqual({ deliveries: [] });
    for (const cause of ["replay", "tamper", "duplicate"]) {
      const again = await post(`deliveries/${id}/${cause}`);
      expect(again).toMatchObject({
        status: 200,
        answer: { cause, repeats: id, state: "delivered", attempts: [{ status: 204 }] },
      });
    }
    expect(hooks.received).toHaveLength(4);
    const none = await post("deliveries/dlv_none/replay");
    expect(none.status).toBe(404);
    expect(none.answer["detail"]).toMatch(/^delivery_id: unknown delivery "dlv_none"/);
  });

  test("settles payments", async () => {
    const { post, call } = setUp();
    const { body } = await call.purchase({
      pack_slug: "demo",
      shared_payment_granted_token: "spt_processing_1",
    });
    const address = `payments/${body.payment_intent_id}/settle`;
    expect(await post(address)).toEqual({ status: 200, answer: {} });
    expect((await call.account()).body.credits_remaining).toBe(1_100);
    expect((await post(address, { status: "" })).status).toBe(400);
    const none = await post("payments/pi_none/settle", { status: "succeeded" });
    expect(none.status).toBe(404);
    expect(none.answer["detail"]).toMatch(/^payment_intent_id: /);
  });

  test("shows the options in force", async () => {
    const { get, mock } = setUp({ profile: "alternate" });
    expect((await get("options")).answer).toEqual({ options: { ...mock.options } });
  });
});
