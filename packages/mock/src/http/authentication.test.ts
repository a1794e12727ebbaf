import { describe, expect, test } from "vitest";

import type { NewKey } from "../service/new-key.ts";
import { caller, manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { endpoints } from "../../test/endpoints.ts";

const malformed = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };

describe("the Authorization header", () => {
  test.each([
    ["is missing", {}],
    ["is empty", { authorization: "" }],
    ["has no scheme", { authorization: "svc_live_mock" }],
    ["has another scheme", { authorization: "Basic c3ZjX2xpdmVfbW9jazo=" }],
    ["has a longer scheme", { authorization: "xBearer svc_live_mock" }],
    ["has only a scheme", { authorization: "Bearer" }],
    ["has an unknown key", { authorization: "Bearer svc_live_unknown" }],
    ["has a key that begins with another", { authorization: "Bearer svc_live_mock1" }],
    ["has a key that another begins with", { authorization: "Bearer svc_live_moc" }],
    ["has a key in upper case", { authorization: "Bearer SVC_LIVE_MOCK" }],
    ["has more than a key", { authorization: "Bearer svc_live_mock more" }],
  ])("that %s gets a 401 that describes the header", async (_case, headers) => {
    covers("auth.key.missing-401", "auth.key.invalid-401");
    const { anonymous } = manualServer();
    for (const { method, path } of endpoints) {
      const response = await anonymous.call(path, { method, headers: { ...headers } });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.detail).toContain("API key");
      expect(response.detail).not.toContain("svc_live_unknown");
    }
  });

  test("has a scheme in any case", async () => {
    covers("auth.bearer.header");
    const { anonymous } = manualServer();
    for (const scheme of ["Bearer", "bearer", "BEARER  "]) {
      const authorization = `${scheme} svc_live_mock`;
      expect((await anonymous.get("/api/v1/account", { authorization })).status).toBe(200);
    }
  });
});

test("the state of a key other than active gets a 403, as does every key of a flagged account", async () => {
  covers("auth.key.disabled-or-revoked-403", "auth.account.flagged-403");
  const { mock } = manualServer();
  for (const state of ["disabled", "flagged"] as const) {
    const response = await caller(mock, mock.keys[state]).account();
    expect([response.status, response.detail]).toEqual([403, expect.stringContaining(state)]);
  }
  const revoked = await mock.createKey({ state: "revoked" });
  expect((await caller(mock, revoked.token).account()).status).toBe(403);
  const first = await mock.createKey({ name: "first" });
  expect((await caller(mock, first.token).account()).status).toBe(200);
  await mock.createKey({ accountId: first.accountId, accountState: "flagged" });
  expect((await caller(mock, first.token).account()).status).toBe(403);
});

describe("the order of checks", () => {
  test("is route, key, its state, rate limit, form, meaning, credits", async () => {
    covers("endpoints.refusals.order");
    const { mock, anonymous } = manualServer();
    const key = await mock.createKey({ credits: 0, rateLimitPerMinute: 4 });
    const call = caller(mock, key.token);
    const statuses = [
      (await anonymous.call("/nowhere", malformed)).status,
      (await anonymous.call("/api/v1/tryon", malformed)).status,
      (await caller(mock, mock.keys.disabled).call("/api/v1/tryon", malformed)).status,
      (await call.call("/api/v1/tryon", malformed)).status,
      (await call.submit({ seed: -1, person_url: null })).status,
      (await call.submit({ person_url: "http://a.example/p.png" })).status,
      (await call.submit()).status,
      (await call.call("/api/v1/tryon", malformed)).status,
    ];
    expect(statuses).toEqual([404, 401, 403, 422, 422, 400, 402, 429]);
    expect((await mock.ledger(key.token))?.entries).toEqual([]);
  });

  test("begins with the form of the body under checkOrder body-first", async () => {
    const { call, anonymous } = manualServer({ options: { checkOrder: "body-first" } });
    expect((await anonymous.call("/api/v1/tryon", malformed)).status).toBe(422);
    expect((await anonymous.call("/api/v1/credits/purchase", malformed)).status).toBe(422);
    expect((await anonymous.post("/api/v1/tryon", { seed: -1 })).status).toBe(401);
    expect((await anonymous.account()).status).toBe(401);
    expect((await call.submit()).status).toBe(200);
  });
});

test("the default keys have their documented tokens, credits and limits", async () => {
  covers("account.tryon-cost-credits.costs");
  const { mock, call } = manualServer();
  expect(mock.keys).toMatchObject({ live: "svc_live_mock", test: "svc_test_mock" });
  expect(mock.webhookSecret).toBe("whsec_mock");
  expect((await call.account()).body).toEqual({
    name: "mock live",
    credits_remaining: 1_000,
    rate_limit_per_min: 6_000,
    total_calls: 1,
    tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
  });
  expect((await caller(mock, mock.keys.empty).account()).body.credits_remaining).toBe(0);
  expect((await caller(mock, mock.keys.limited).account()).body.rate_limit_per_min).toBe(5);
});

describe("createKey", () => {
  test("creates a live key or, by mode or by the prefix of its token, a test key", async () => {
    covers("auth.key.prefixes", "account.name.label", "limits.rate.values");
    const { mock } = manualServer();
    const { token } = await mock.createKey();
    expect(token).toMatch(/^svc_live_[0-9A-Za-z]{32}$/);
    const defaults = { name: null, credits_remaining: 1_000, rate_limit_per_min: 60 };
    expect((await caller(mock, token).account()).body).toMatchObject(defaults);
    const shop = await mock.createKey({ credits: 5, rateLimitPerMinute: 7, name: "shop" });
    const fields = { name: "shop", credits_remaining: 5, rate_limit_per_min: 7 };
    expect((await caller(mock, shop.token).account()).body).toMatchObject(fields);
    expect((await mock.createKey({ mode: "test" })).token).toMatch(/^svc_test_/);
    expect((await mock.createKey({ token: "svc_test_mine" })).mode).toBe("test");
    const mixed = mock.createKey({ token: "svc_live_mine", mode: "test" });
    await expect(mixed).rejects.toThrow("svc_test_");
  });

  test.each([
    [{ rateLimitPerMinute: 0 }, "rateLimitPerMinute"],
    [{ token: "svc_live_mock" }, "token"],
    [{ token: "two words" }, "token"],
    [{ credits: Number.MAX_SAFE_INTEGER + 1 }, "credits"],
    [{ state: "paused" }, 'state must be one of "active", "disabled", "revoked", "suspended"'],
    [{ accountState: "new" }, 'accountState must be "active" or "flagged"'],
    [{ webhookSecret: "" }, "webhookSecret must be a non-empty string"],
    [{ accountId: 7 }, "accountId must be a non-empty string"],
    [null, "must be an object"],
    [{ accountId: "acct_mock", mode: "test" }, "test key"],
  ])("rejects %j", async (input, message) => {
    // Callers in JavaScript can pass what the compiler refuses.
    await expect(manualServer().mock.createKey(input as NewKey)).rejects.toThrow(message);
  });
});
