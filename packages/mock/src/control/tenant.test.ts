import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, finished } from "../../test/caller.ts";
import type { NewKey } from "../service/new-key.ts";

const hook = "https://shop.example/hook";
const sendWebhook = async (): Promise<Response> => new Response();

describe("a tenant", () => {
  test("has a separate key, secret and account", async () => {
    const mock = createMock({ clock: "manual" });
    const [one, other] = await Promise.all([mock.tenant(), mock.tenant({ credits: 5 })]);
    expect(one.apiKey).toMatch(/^svc_live_/);
    expect(one.webhookSecret).toMatch(/^whsec_/);
    const all = [one, other].flatMap(({ apiKey, webhookSecret, accountId }) => [
      apiKey,
      webhookSecret,
      accountId,
    ]);
    expect(new Set(all).size).toBe(6);
    expect((await one.ledger()).balance).toBe(1_000);
    expect((await other.ledger()).entries).toMatchObject([{ credits: 5, cause: "grant" }]);
    expect((await caller(mock, one.apiKey).account()).body.rate_limit_per_min).toBe(6_000);
  });

  test("shares no jobs, credits, deliveries, idempotency keys or payment tokens", async () => {
    const mock = createMock({ clock: "manual", sendWebhook });
    const tenants = await Promise.all([mock.tenant(), mock.tenant()]);
    const order = { pack_slug: "demo", shared_payment_granted_token: "spt_mine" };
    const jobIds = await Promise.all(
      tenants.map(async ({ apiKey }) => {
        const call = caller(mock, apiKey);
        expect((await call.purchase(order)).body.credits_added).toBe(100);
        expect((await call.purchase(order)).status).toBe(200);
        const declined = { ...order, shared_payment_granted_token: "spt_declined_1" };
        expect((await call.purchase(declined)).status).toBe(402);
        const { body } = await call.submit({ webhook_url: hook }, { "idempotency-key": "one" });
        return body.job_id;
      }),
    );
    await mock.clock.advance("2s");
    for (const [index, tenant] of tenants.entries()) {
      const call = caller(mock, tenant.apiKey);
      const own = jobIds[index] ?? "";
      const foreign = jobIds[1 - index] ?? "";
      expect((await call.list()).body.jobs.map(({ job_id }) => job_id)).toEqual([own]);
      expect((await call.poll(foreign)).status).toBe(404);
      expect((await tenant.ledger()).balance).toBe(1_092);
      expect(await tenant.deliveries()).toMatchObject([{ jobId: own, state: "delivered" }]);
      expect(await tenant.deliveries(foreign)).toEqual([]);
    }
  });

  test("uses a payment token with one of its keys only", async () => {
    const mock = createMock({ clock: "manual" });
    const tenant = await mock.tenant();
    const { token, accountId } = await tenant.createKey({ accountState: "active" });
    expect(accountId).toBe(tenant.accountId);
    const order = { pack_slug: "demo", shared_payment_granted_token: "spt_mine" };
    expect((await caller(mock, tenant.apiKey).purchase(order)).status).toBe(200);
    expect((await caller(mock, token).purchase(order)).status).toBe(409);
  });

  test("sets the outcome of the next job of its key", async () => {
    const mock = createMock({ clock: "manual" });
    const [one, other] = [await mock.tenant(), await mock.tenant({ mode: "test" })];
    other.nextJob({ outcome: "model_rejected" });
    one.nextJob({ outcome: "storage_failed" });
    const errors = [];
    for (const { apiKey } of [one, other]) {
      errors.push((await finished(mock, caller(mock, apiKey))).error_message);
    }
    expect(errors).toEqual(["storage_failed", "model_rejected"]);
  });

  test("is part of a snapshot, and does not exist after a reset", async () => {
    const mock = createMock({ clock: "manual" });
    const tenant = await mock.tenant();
    const snapshot = await mock.snapshot();
    await mock.reset();
    await expect(tenant.ledger()).rejects.toThrow("does not exist after a reset");
    await mock.restore(snapshot);
    expect((await tenant.ledger()).balance).toBe(1_000);
  });

  test("requires a new account", async () => {
    const mock = createMock({ clock: "manual" });
    const shared: NewKey = { accountId: "acct_mock" };
    await expect(mock.tenant(shared)).rejects.toThrow(/^accountId is not an option of a tenant/);
    await expect(mock.tenant({ credits: -1 })).rejects.toThrow(TypeError);
  });
});
