import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, finished } from "../../test/caller.ts";
import { receiver } from "../../test/receiver.ts";
import { covers } from "../../test/covers.ts";

const order = { pack_slug: "demo", shared_payment_granted_token: "spt_1" };

describe("the account", () => {
  test("shows the balance of the moment", async () => {
    covers("account.credits-remaining.balance", "account.request-and-answer");
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    const seen = async (): Promise<number> => (await call.account()).body.credits_remaining;
    expect(await seen()).toBe(1_000);
    await call.submit({ output_size: "4K" });
    expect(await seen()).toBe(980);
    await call.purchase(order);
    expect(await seen()).toBe(1_080);
  });

  test("counts the calls of its key since there is one, and of no other key", async () => {
    covers("account.total-calls.lifetime", "account.total-calls.what-counts");
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    await call.submit();
    await call.submit({ seed: -1 });
    await call.poll("job_none");
    await caller(mock, null).account();
    await caller(mock, mock.keys.test).account();
    await mock.clock.advance("400d");
    expect((await call.account()).body.total_calls).toBe(4);
    expect((await caller(mock, mock.keys.test).account()).body.total_calls).toBe(2);
  });
});

describe("the keys of one account", () => {
  test("may be several live ones, each with its own balance, name, calls and limit", async () => {
    covers(
      "auth.account.one-test-key",
      "auth.key.own-balance",
      "account.name.label",
      "account.total-calls.lifetime",
      "limits.rate.per-key",
    );
    const mock = createMock({ clock: "manual" });
    const first = await mock.createKey({ name: "shop", rateLimitPerMinute: 3 });
    const { accountId } = first;
    const second = await mock.createKey({ accountId, credits: 50, rateLimitPerMinute: 2 });
    const [one, other] = [caller(mock, first.token), caller(mock, second.token)];
    await one.submit();
    await one.purchase(order);
    expect((await one.account()).body).toMatchObject({
      name: "shop",
      credits_remaining: 1_092,
      rate_limit_per_min: 3,
      total_calls: 3,
    });
    expect((await one.account()).status).toBe(429);
    expect((await other.account()).body).toMatchObject({
      name: null,
      credits_remaining: 50,
      rate_limit_per_min: 2,
      total_calls: 1,
    });
  });
});

describe("the test key of an account", () => {
  test("is the only one beside several live keys, in whatever order they are made", async () => {
    covers("auth.account.one-test-key");
    const mock = createMock({ clock: "manual" });
    const { accountId, token: first } = await mock.createKey();
    const { token: tested } = await mock.createKey({ accountId, mode: "test" });
    const { token: second } = await mock.createKey({ accountId });
    const another = mock.createKey({ accountId, mode: "test" });
    await expect(another).rejects.toThrow("exactly one");
    const { token: third } = await mock.createKey({ accountId, mode: "live" });
    const modes = [];
    for (const token of [first, second, third, tested]) {
      modes.push((await caller(mock, token).submit()).body.test_mode);
    }
    expect(modes).toEqual([false, false, false, true]);
  });

  test("stays the only one when several are asked for at once", async () => {
    covers("auth.account.one-test-key");
    const mock = createMock({ clock: "manual" });
    const { accountId } = await mock.createKey();
    const made = await Promise.allSettled(
      [1, 2, 3].map(() => mock.createKey({ accountId, mode: "test" })),
    );
    expect(made.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  test("is there from the start in the account that every server has, with its live keys", async () => {
    covers("auth.account.one-test-key");
    const mock = createMock({ clock: "manual" });
    const { live, limited } = mock.keys;
    const modes = [];
    for (const token of [live, limited, mock.keys.test]) {
      modes.push((await caller(mock, token).submit()).body.test_mode);
    }
    expect(modes).toEqual([false, false, true]);
    const { accountId } = await mock.createKey({ accountId: "acct_mock" });
    await expect(mock.createKey({ accountId, mode: "test" })).rejects.toThrow("exactly one");
  });
});

describe("a test key", () => {
  test("has jobs that are polled, listed and announced as those of a live one", async () => {
    covers("test-key.stock-image", "test-key.all-endpoints", "submit-response.test-mode.test-key");
    const hooks = receiver();
    const mock = createMock({ clock: "manual", sendWebhook: hooks.send });
    const call = caller(mock, mock.keys.test);
    const webhook_url = "https://shop.example/hook";
    const fields = { seed: 7, metadata: { sku: "A" } };
    const held = call.submit({ ...fields, wait: true });
    const job = await finished(mock, call, { ...fields, webhook_url });
    expect((await held).body).toMatchObject({ ...fields, test_mode: true, status: "succeeded" });
    expect(job).toMatchObject({ ...fields, status: "succeeded", cost_credits: 0 });
    expect((await call.list()).body.jobs).toContainEqual(job);
    expect(hooks.received.map(({ body }) => body["job_id"])).toEqual([job.job_id]);
    const image = await mock.fetch(job.result_url ?? "");
    expect(image.headers.get("content-type")).toBe("image/png");
  });
});
