import { describe, expect, test } from "vitest";

import { controls } from "../../../test/controls.ts";
import { withFaults } from "../../../test/with-faults.ts";

function setUp() {
  const server = withFaults();
  const { mock } = server;
  return { ...server, ...controls(mock.fetch, mock.baseUrl) };
}

describe("a bad call of the control API", () => {
  test.each([
    ["reset", { all: true }, 'no field "all" here; this call takes none'],
    ["snapshot", [], "has to be a JSON object"],
    ["restore", {}, "snapshot_id: "],
    ["restore", { snapshot: "snap_1" }, 'no field "snapshot" here; this call takes snapshot_id'],
    ["restore", { snapshot_id: 7 }, "snapshot_id: there is no snapshot 7"],
    ["clock", {}, "either advance_ms"],
    ["clock", { advance_ms: 1, run_all: true }, "either advance_ms"],
    ["clock", { advance_ms: -1 }, "advance_ms has to be a whole number from 0 to"],
    ["clock", { advance_ms: 1e13 }, "advance_ms has to be a whole number from 0 to"],
    [
      "clock",
      { advance_ms: "2s" },
      'advance_ms has to be a whole number from 0 to 1000000000000; got "2s"',
    ],
    ["clock", { run_all: false }, "run_all has to be true"],
    ["keys", { credits: -1 }, "credits must be an integer of at least 0"],
    ["keys", { rate_limit_per_min: 0 }, "rate_limit_per_min must be an integer of at least 1"],
    ["keys", { rateLimitPerMinute: 5 }, 'no field "rateLimitPerMinute" here'],
    ["keys", { mode: "lively" }, "mode must be one of live, test"],
    ["keys", { account_id: 7 }, "account_id must be a non-empty string"],
    ["keys", { mode: "test", account_id: "acct_mock" }, "test key"],
    ["tenants", { account_id: "acct_mock" }, 'no field "account_id" here'],
    ["faults", {}, "on has to be a text"],
    ["faults", { on: "GET /", status: 99 }, "status has to be a whole number from 200 to 599"],
    ["faults", { on: "GET /", latency_ms: "2s" }, "latency_ms has to be a whole number"],
    ["faults", { on: "GET /", latency_ms: { median: 0, p95: 1 } }, "latency_ms.median has to be"],
    ["faults", { on: "GET /", cut_after_ms: -1 }, "cut_after_ms has to be a whole number"],
    ["faults", { on: "GET /", truncate_at: -1 }, "truncate_at has to be a whole number"],
    ["faults", { on: "GET /", retry_after: -1, status: 503 }, "retry_after has to be"],
    ["faults", { on: "GET /", probability: 2 }, "probability has to be a number above 0 up to 1"],
    ["next-job", { outcome: "lost" }, "outcome has to be one of"],
    ["next-job", { error_message: "" }, "error_message has to have 1 to 1000 characters"],
    ["next-job", { error_message: "x", outcome: "never" }, "error_message goes with"],
    ["next-job", { duration_ms: -1 }, "duration_ms has to be a number"],
    ["next-job", { api_key: "" }, "api_key has to be the token of a key"],
  ])("POST %s %j says what is wrong", async (path, body, problem) => {
    const { post } = setUp();
    const { status, answer } = await post(path, body);
    expect(status).toBe(400);
    expect(answer["detail"]).toContain(problem);
  });

  test.each([
    ["journal?wait_for=1", 'no query parameter "wait_for"'],
    ["journal?since=noon", "since has to be a whole number"],
    ["journal?method=GET&method=POST", "method comes twice"],
    ["journal?path=api", "path: "],
    ["journal?method=FETCH&wait_for_count=1", "has no method that there is"],
    ["journal?wait_for_count=0", "wait_for_count has to be a whole number from 1"],
    ["journal?timeout_ms=5", "timeout_ms goes with wait_for_count"],
    ["journal?wait_for_count=1&timeout_ms=700000", "timeout_ms has to be a whole number"],
    ["ledger", "api_key is missing"],
    ["deliveries?job=1", 'no query parameter "job"'],
  ])("GET %s says what is wrong", async (path, problem) => {
    const { get } = setUp();
    const { status, answer } = await get(path);
    expect(status).toBe(400);
    expect(answer["detail"]).toContain(problem);
  });

  test("of an unknown key, address or method is told what there is", async () => {
    const { mock, get, post, remove } = setUp();
    expect(await get("ledger?api_key=svc_live_none")).toMatchObject({ status: 404 });
    const unknown = await get("jobs");
    expect(unknown.status).toBe(404);
    expect(unknown.answer["detail"]).toContain("POST /__mock/clock");
    expect(await remove("clock")).toMatchObject({ status: 405 });
    expect(await post("options")).toMatchObject({ status: 405 });
    const wrong = await mock.fetch(`${mock.baseUrl}/__mock/reset`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("that is no JSON changes nothing", async () => {
    const { mock } = setUp();
    await mock.clock.advance("1s");
    const before = mock.clock.now();
    for (const body of ["{", "\u0000", new Uint8Array([0xff, 0xfe])]) {
      const response = await mock.fetch(`${mock.baseUrl}/__mock/reset`, { method: "POST", body });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        detail: "The body is not JSON in UTF-8; send a JSON object.",
      });
    }
    expect(mock.clock.now()).toBe(before);
  });

  test.each([
    ["from a page of another origin", { origin: "https://elsewhere.example" }],
    ["from a page without an origin", { origin: "null" }],
    ["from another site", { "sec-fetch-site": "cross-site" }],
    ["from another port of the same machine", { "sec-fetch-site": "same-site" }],
  ])("%s is refused, and no CORS header lets it in", async (_name, headers) => {
    const { mock } = setUp();
    for (const [method, path] of [
      ["POST", "reset"],
      ["GET", "journal"],
      ["OPTIONS", "reset"],
    ]) {
      const init = { ...(method !== undefined && { method }), headers };
      const response = await mock.fetch(`${mock.baseUrl}/__mock/${path}`, init);
      expect(response.status).toBe(403);
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-"))).toEqual([]);
    }
  });

  test("is never a call of the service: no fault strikes it, and the journal does not show it", async () => {
    const { mock, get } = setUp();
    mock.faults.add({ on: "* *", status: 503 });
    const response = await mock.fetch(`${mock.baseUrl}/__mock/options`, {
      headers: { origin: mock.baseUrl, "sec-fetch-site": "same-origin" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-mock")).toMatch(/^tryon-mock\//);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await get("journal")).answer).toEqual({ entries: [], dropped: 0 });
    mock.close();
    await expect(mock.fetch(`${mock.baseUrl}/__mock/options`)).rejects.toThrow("closed");
  });
});
