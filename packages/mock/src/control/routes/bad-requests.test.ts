import { describe, expect, test } from "vitest";

import { controls } from "../../../test/controls.ts";
import { withFaults } from "../../../test/with-faults.ts";

function setUp() {
  const { mock } = withFaults();
  return { mock, ...controls(mock.fetch, mock.baseUrl) };
}

describe("the control API", () => {
  test.each([
    ["reset", { all: true }, "all is not a field of this request. Leave it out."],
    ["snapshot", [], "must be a JSON object"],
    ["restore", {}, "snapshot_id: "],
    [
      "restore",
      { snapshot: "snap_1" },
      "snapshot is not a field of this request. Did you mean snapshot_id?",
    ],
    ["restore", { snapshot_id: 7 }, "snapshot_id: unknown snapshot 7"],
    ["clock", {}, "either advance_ms"],
    ["clock", { advance_ms: 1, run_all: true }, "either advance_ms"],
    ["clock", { advance_ms: -1 }, "advance_ms must be a whole number from 0 to"],
    ["clock", { advance_ms: 1e13 }, "advance_ms must be a whole number from 0 to"],
    ["clock", { advance_ms: "2s" }, 'whole number from 0 to 1000000000000; got "2s"'],
    ["clock", { run_all: false }, "run_all must be true"],
    ["keys", { rate_limit_per_min: 0 }, /^rate_limit_per_min .* whole number from 1/],
    ["keys", { rateLimitPerMinute: 5 }, "rateLimitPerMinute is not a field of this request"],
    ["keys", { mode: "lively" }, /^mode .* "live" or "test"/],
    ["keys", { account_id: 7 }, /^account_id /],
    ["keys", { mode: "test", account_id: "acct_mock" }, "test key"],
    ["tenants", { account_id: "acct_mock" }, "account_id is not a field of this request"],
    ["faults", {}, /^on /],
    ["faults", { staus: 503 }, "staus is not a field of this request. Did you mean status?"],
    ["faults", { on: "GET /", latency_ms: "2s" }, "latency_ms must be a whole number"],
    ["faults", { on: "GET /", latency_ms: { median: 0, p95: 1 } }, /^latency_ms\.median /],
    ["faults", { on: "GET /", cut_after_ms: -1 }, "cut_after_ms must be a whole number"],
    ["faults", { on: "GET /", truncate_at: -1 }, /^truncate_at .* whole number/],
    ["faults", { on: "GET /", retry_after: -1, status: 503 }, /^retry_after /],
    ["next-job", { outcome: "lost" }, /^outcome .* one of/],
    ["next-job", { error_message: "" }, /^error_message .* 1 to 1000 characters/],
    ["next-job", { duration_ms: -1 }, /^duration_ms .* number/],
    ["next-job", { api_key: "" }, /^api_key .* key/],
  ])("rejects POST %s with %j: %s", async (path, fields, problem) => {
    const { status, body } = await setUp().post(path, fields);
    expect(status).toBe(400);
    expect(body["detail"]).toEqual(expect.stringMatching(problem));
  });

  test.each([
    ["journal?wait_for=1", "wait_for is not a query parameter of this request"],
    ["journal?methd=GET", "methd is not a query parameter of this request. Did you mean method?"],
    ["journal?since=noon", "since must be a whole number"],
    ["journal?method=GET&method=POST", "method occurs twice"],
    ["journal?path=api", 'path "api" has'],
    ["journal?method=FETCH&wait_for_count=1", "FETCH"],
    ["journal?wait_for_count=0", "wait_for_count must be a whole number from 1"],
    ["journal?timeout_ms=5", "timeout_ms requires wait_for_count"],
    ["journal?wait_for_count=1&timeout_ms=700000", "timeout_ms must be a whole number"],
    ["ledger", "api_key is missing"],
    ["state?jobs=1", "jobs is not a query parameter of this request. Leave it out."],
    ["deliveries?job=1", "job is not a query parameter of this request"],
  ])("rejects GET %s: %s", async (path, problem) => {
    const { status, body } = await setUp().get(path);
    expect(status).toBe(400);
    expect(body["detail"]).toContain(problem);
  });

  test("lists the known requests for an unknown URL or method", async () => {
    const { mock, get, post, remove } = setUp();
    expect(await get("ledger?api_key=svc_live_none")).toMatchObject({ status: 404 });
    const unknown = await get("jobs");
    expect(unknown.status).toBe(404);
    expect(unknown.body["detail"]).toContain("POST /__mock/clock");
    expect(await remove("clock")).toMatchObject({ status: 405 });
    expect(await post("options")).toMatchObject({ status: 405 });
    const wrong = await mock.fetch(`${mock.baseUrl}/__mock/reset`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("changes nothing for a body that is not JSON", async () => {
    const { mock } = setUp();
    await mock.clock.advance("1s");
    const before = mock.clock.now();
    for (const body of ["{", "\u0000", new Uint8Array([0xff, 0xfe])]) {
      const response = await mock.fetch(`${mock.baseUrl}/__mock/reset`, { method: "POST", body });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        detail: expect.stringMatching(/^The body is not valid (JSON|UTF-8); send a JSON object\.$/),
      });
    }
    expect(mock.clock.now()).toBe(before);
  });

  test.each([
    ["of another origin", { origin: "https://elsewhere.example" }],
    ["without an origin", { origin: "null" }],
    ["of another site", { "sec-fetch-site": "cross-site" }],
    ["on another port of the same machine", { "sec-fetch-site": "same-site" }],
  ])("rejects requests of a page %s, without CORS headers", async (_name, headers) => {
    const { mock } = setUp();
    for (const [method, path] of [
      ["POST", "reset"],
      ["GET", "journal"],
      ["OPTIONS", "reset"],
    ] as const) {
      const response = await mock.fetch(`${mock.baseUrl}/__mock/${path}`, { method, headers });
      expect(response.status).toBe(403);
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-"))).toEqual([]);
    }
  });

  test("is not part of the service: no fault applies to it, and the journal omits it", async () => {
    const { mock, get } = setUp();
    mock.faults.add({ on: "* *", status: 503 });
    const response = await mock.fetch(`${mock.baseUrl}/__mock/options`, {
      headers: { origin: mock.baseUrl, "sec-fetch-site": "same-origin" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-mock")).toMatch(/^tryon-mock\//);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await get("journal")).body).toEqual({ entries: [], dropped: 0 });
    mock.close();
    await expect(mock.fetch(`${mock.baseUrl}/__mock/options`)).rejects.toThrow("closed");
  });
});
