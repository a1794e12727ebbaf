import { describe, expect, test } from "vitest";

import type { NewKey } from "../service/new-key.ts";
import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

const malformed = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };

describe("the key of a call", () => {
  test.each([
    ["none", undefined],
    ["an empty one", ""],
    ["no scheme", "svc_live_mock"],
    ["another scheme", "Basic c3ZjX2xpdmVfbW9jazo="],
    ["a scheme alone", "Bearer"],
    ["an unknown one", "Bearer svc_live_nobody"],
    ["a known one and more", "Bearer svc_live_mock more"],
  ])("being %s gives 401 and says how to send one", async (_what, authorization) => {
    covers("auth.bearer.header", "auth.key.missing-401", "auth.key.invalid-401");
    const call = caller(createMock({ clock: "manual" }), null);
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const [method, path] of [
      ["GET", "/api/v1/account"],
      ["GET", "/api/v1/tryon"],
      ["GET", "/api/v1/tryon/job_1"],
      ["POST", "/api/v1/tryon"],
      ["POST", "/api/v1/credits/purchase"],
    ] as const) {
      const answer = await call.call(path, { method, headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.detail).toContain("API key");
      expect(answer.detail).not.toContain("svc_live_nobody");
    }
  });

  test.each(["Bearer svc_live_mock", "bearer svc_live_mock", "BEARER   svc_live_mock"])(
    "is taken as %j",
    async (authorization) => {
      covers("auth.bearer.header");
      const call = caller(createMock({ clock: "manual" }), null);
      expect((await call.get("/api/v1/account", { authorization })).status).toBe(200);
    },
  );

  test.each(["disabled", "flagged"] as const)("being %s gives 403", async (name) => {
    covers("auth.key.disabled-or-revoked-403", "auth.account.flagged-403");
    const mock = createMock({ clock: "manual" });
    const answer = await caller(mock, mock.keys[name]).account();
    expect(answer.status).toBe(403);
    expect(answer.detail).toContain(name);
  });

  test("being revoked gives 403, and a flagged account gives it to all of its keys", async () => {
    covers("auth.key.disabled-or-revoked-403", "auth.account.flagged-403");
    const mock = createMock({ clock: "manual" });
    const revoked = await mock.createKey({ state: "revoked" });
    expect((await caller(mock, revoked.token).account()).status).toBe(403);
    const first = await mock.createKey({ name: "first" });
    expect((await caller(mock, first.token).account()).status).toBe(200);
    await mock.createKey({ accountId: first.accountId, accountState: "flagged" });
    expect((await caller(mock, first.token).account()).status).toBe(403);
  });
});

test("a key that nobody has stands for no user, whatever it resembles", async () => {
  covers("auth.key.invalid-401");
  const mock = createMock({ clock: "manual" });
  const { live, test: tested } = mock.keys;
  const order = { pack_slug: "demo", shared_payment_granted_token: "spt_1" };
  for (const token of [`${live}1`, live.slice(0, -1), live.toUpperCase(), "svc_test_", "null"]) {
    const call = caller(mock, token);
    expect((await call.submit()).status).toBe(401);
    expect((await call.purchase(order)).status).toBe(401);
    expect((await call.list()).status).toBe(401);
  }
  for (const token of [live, tested]) {
    expect((await caller(mock, token).account()).body.total_calls).toBe(1);
    expect((await caller(mock, token).list()).body.jobs).toEqual([]);
  }
  expect((await mock.ledger(live))?.balance).toBe(1_000);
});

describe("the order of checks", () => {
  test("is route, key, its state, rate limit, form, meaning, then credits", async () => {
    covers("endpoints.refusals.order");
    const mock = createMock({ clock: "manual" });
    const key = await mock.createKey({ credits: 0, rateLimitPerMinute: 4 });
    const call = caller(mock, key.token);
    const statuses = [
      (await caller(mock, null).call("/nowhere", malformed)).status,
      (await caller(mock, null).call("/api/v1/tryon", malformed)).status,
      (await caller(mock, mock.keys.disabled).call("/api/v1/tryon", malformed)).status,
      (await call.call("/api/v1/tryon", malformed)).status,
      (await call.submit({ seed: -1, person_url: null })).status,
      (await call.submit({ person_url: "http://a.example/p.png" })).status,
      (await call.submit()).status,
      (await call.call("/api/v1/tryon", malformed)).status,
    ];
    expect(statuses).toEqual([404, 401, 403, 422, 422, 400, 402, 429]);
  });

  test("begins with the body where the server is set to that, and only for its form", async () => {
    covers("endpoints.refusals.order");
    const mock = createMock({ clock: "manual", options: { checkOrder: "body-first" } });
    const call = caller(mock, null);
    expect((await call.call("/api/v1/tryon", malformed)).status).toBe(422);
    expect((await call.call("/api/v1/credits/purchase", malformed)).status).toBe(422);
    expect((await call.post("/api/v1/tryon", { seed: -1 })).status).toBe(401);
    expect((await call.get("/api/v1/account")).status).toBe(401);
    expect((await caller(mock).submit()).status).toBe(200);
  });
});

describe("the keys that every server has", () => {
  test("are as they are documented", async () => {
    covers(
      "auth.key.prefixes",
      "auth.webhook-secret.signs",
      "account.request-and-answer",
      "account.tryon-cost-credits.costs",
      "limits.rate.values",
    );
    const mock = createMock({ clock: "manual" });
    expect(mock.keys.live).toBe("svc_live_mock");
    expect(mock.keys.test).toBe("svc_test_mock");
    expect(mock.webhookSecret).toBe("whsec_mock");
    expect((await caller(mock).account()).body).toEqual({
      name: "mock live",
      credits_remaining: 1_000,
      rate_limit_per_min: 6_000,
      total_calls: 1,
      tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
    });
    expect((await caller(mock, mock.keys.empty).account()).body.credits_remaining).toBe(0);
    expect((await caller(mock, mock.keys.limited).account()).body.rate_limit_per_min).toBe(5);
  });
});

describe("a key that is made", () => {
  test("is live, with 1,000 credits and 60 requests a minute, unless asked otherwise", async () => {
    covers(
      "auth.key.prefixes",
      "account.name.label",
      "account.rate-limit-per-min.allowance",
      "limits.rate.values",
    );
    const mock = createMock({ clock: "manual" });
    const plain = await mock.createKey();
    expect(plain.token).toMatch(/^svc_live_[0-9A-Za-z]{32}$/);
    expect((await caller(mock, plain.token).account()).body).toMatchObject({
      name: null,
      credits_remaining: 1_000,
      rate_limit_per_min: 60,
    });
    const other = await mock.createKey({ credits: 5, rateLimitPerMinute: 7, name: "shop" });
    expect((await caller(mock, other.token).account()).body).toMatchObject({
      name: "shop",
      credits_remaining: 5,
      rate_limit_per_min: 7,
    });
  });

  test("is a test key when its token says so", async () => {
    covers("auth.key.prefixes");
    const mock = createMock({ clock: "manual" });
    expect((await mock.createKey({ mode: "test" })).token).toMatch(/^svc_test_/);
    expect((await mock.createKey({ token: "svc_test_mine" })).mode).toBe("test");
    await expect(mock.createKey({ token: "svc_live_mine", mode: "test" })).rejects.toThrow(
      "svc_test_",
    );
  });

  test.each([
    [{ credits: -1 }, "credits"],
    [{ credits: 1.5 }, "credits"],
    [{ rateLimitPerMinute: 0 }, "rateLimitPerMinute"],
    [{ token: "svc_live_mock" }, "token"],
    [{ token: "two words" }, "token"],
    [{ credits: Number.MAX_SAFE_INTEGER + 1 }, "credits"],
    [{ mode: "lively" }, "mode must be one of live, test"],
    [{ state: "paused" }, "state must be one of active, disabled, revoked, suspended"],
    [{ accountState: "new" }, "accountState must be one of active, flagged"],
    [{ name: 7 }, "name must be a string or null"],
    [{ webhookSecret: "" }, "webhookSecret must be a non-empty string"],
    [{ accountId: 7 }, "accountId must be a non-empty string"],
    [{ credit: 7 }, 'Unknown field "credit"; a key has token, mode, credits'],
    [null, "must be an object"],
    [{ accountId: "acct_mock", mode: "test" }, "test key"],
  ])("is refused with %j", async (wanted, word) => {
    covers("auth.account.one-test-key");
    const mock = createMock({ clock: "manual" });
    // What is wrong would not get past the compiler; callers in JavaScript have none.
    await expect(mock.createKey(wanted as NewKey)).rejects.toThrow(word);
  });
});
