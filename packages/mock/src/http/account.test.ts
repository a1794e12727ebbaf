import { describe, expect, test } from "vitest";

import { caller, finished, manualServer } from "../../test/caller.ts";
import { withReceiver } from "../../test/receiver.ts";
import { streamed } from "../../test/streamed.ts";
import { covers } from "../../test/covers.ts";

const order = { pack_slug: "demo", shared_payment_granted_token: "spt_1" };

describe("the account", () => {
  test("has the current balance", async () => {
    covers("account.credits-remaining.balance", "account.request-and-answer");
    const { call } = manualServer();
    const balance = async (): Promise<number> => (await call.account()).body.credits_remaining;
    expect(await balance()).toBe(1_000);
    await call.submit({ output_size: "4K" });
    expect(await balance()).toBe(980);
    await call.purchase(order);
    expect(await balance()).toBe(1_080);
  });

  test("counts all requests of its key, and of no other key", async () => {
    covers("account.total-calls.lifetime");
    const { mock, call, anonymous } = manualServer();
    const other = caller(mock, mock.keys.test);
    await call.submit();
    await call.submit({ seed: -1 });
    await call.poll("job_none");
    await anonymous.account();
    await other.account();
    await mock.clock.advance("400d");
    expect((await call.account()).body.total_calls).toBe(4);
    expect((await other.account()).body.total_calls).toBe(2);
  });

  test("counts only requests with a 2xx with totalCalls accepted", async () => {
    covers("account.total-calls.what-counts");
    const { mock, call } = manualServer({ options: { totalCalls: "accepted" } });
    await call.submit();
    const sync = call.submit({ wait: true });
    await call.submit({ seed: -1 });
    await call.purchase({ ...order, pack_slug: "huge" });
    await call.poll("job_none");
    const body = new ReadableStream({ pull: (stream) => stream.error(new Error("cable cut")) });
    const broken = streamed(body, { authorization: `Bearer ${mock.keys.live}` });
    await expect(call.call("/api/v1/tryon", broken)).rejects.toThrow("could not be read");
    await mock.clock.advance("2s");
    expect((await sync).status).toBe(200);
    expect((await call.account()).body.total_calls).toBe(3);
    const { token } = await mock.createKey({ rateLimitPerMinute: 1 });
    const limited = caller(mock, token);
    expect((await limited.poll("job_none")).status).toBe(404);
    expect((await limited.account()).status).toBe(429);
    await mock.clock.advance("1m");
    expect((await limited.account()).body.total_calls).toBe(1);
  });

  test("can have several live keys, each with its own balance, name, requests and limit", async () => {
    covers("auth.key.own-balance");
    const { mock } = manualServer();
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

describe("the only test key of an account", () => {
  test("is created at any time, and once by concurrent calls", async () => {
    covers("auth.account.one-test-key");
    const { mock } = manualServer();
    const { accountId, token } = await mock.createKey();
    const created = await Promise.allSettled(
      [1, 2, 3].map(() => mock.createKey({ accountId, mode: "test" })),
    );
    expect(created.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    await expect(mock.createKey({ accountId, mode: "test" })).rejects.toThrow(
      "mode is live if the account has a test key, of which it has exactly one",
    );
    const tested = created[0]?.status === "fulfilled" ? created[0].value.token : "";
    const later = await mock.createKey({ accountId });
    const modes = [];
    for (const each of [token, tested, later.token]) {
      modes.push((await caller(mock, each).submit()).body.test_mode);
    }
    expect(modes).toEqual([false, true, false]);
  });

  test("exists from the start in the account of the default keys", async () => {
    const { mock } = manualServer();
    expect((await caller(mock, mock.keys.test).submit()).body.test_mode).toBe(true);
    const { accountId } = await mock.createKey({ accountId: "acct_mock" });
    await expect(mock.createKey({ accountId, mode: "test" })).rejects.toThrow("exactly one");
  });

  test("has jobs that are polled, listed and delivered like those of a live key", async () => {
    covers("submit-response.test-mode.test-key");
    const { mock, received } = withReceiver();
    const call = caller(mock, mock.keys.test);
    const webhook_url = "https://shop.example/hook";
    const fields = { seed: 7, metadata: { sku: "A" } };
    const sync = call.submit({ ...fields, wait: true });
    const job = await finished(mock, call, { ...fields, webhook_url });
    expect((await sync).body).toMatchObject({ ...fields, test_mode: true, status: "succeeded" });
    expect(job).toMatchObject({ ...fields, status: "succeeded", cost_credits: 0 });
    expect((await call.list()).body.jobs).toContainEqual(job);
    expect(received.map(({ body }) => body["job_id"])).toEqual([job.job_id]);
    const image = await mock.fetch(job.result_url ?? "");
    expect(image.headers.get("content-type")).toBe("image/png");
  });
});
