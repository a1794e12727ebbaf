import { describe, expect, test } from "vitest";

import type { Options } from "../options.ts";
import { caller, manualServer, type ClientResponse } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

async function setUp(limit: number, options: Partial<Options> = {}) {
  const { mock, anonymous } = manualServer({ options });
  await mock.clock.advance("15500ms");
  const { token } = await mock.createKey({ rateLimitPerMinute: limit });
  return { mock, anonymous, call: caller(mock, token) };
}

function headersOf({ headers }: ClientResponse<unknown>): readonly (string | null)[] {
  return [
    headers.get("x-ratelimit-limit"),
    headers.get("x-ratelimit-remaining"),
    headers.get("x-ratelimit-reset"),
    headers.get("retry-after"),
  ];
}

const nextMinute = String(Date.UTC(2026, 0, 1, 0, 1) / 1_000);

describe("the rate limit of a key", () => {
  test("refuses further requests with 429 until the next minute", async () => {
    const { mock, call } = await setUp(2);
    const intoMinute = mock.clock.now() % 60_000;
    expect((await call.account()).status).toBe(200);
    expect((await call.submit()).status).toBe(200);
    const refused = await call.account();
    expect([refused.status, refused.detail]).toEqual([
      429,
      expect.stringContaining("2 requests a minute"),
    ]);
    expect((await call.submit()).status).toBe(429);
    expect((await caller(mock).account()).status, "another key").toBe(200);
    await mock.clock.advance(60_000 - intoMinute - 1);
    expect((await call.account()).status).toBe(429);
    await mock.clock.advance(1);
    expect((await call.account()).status).toBe(200);
  });

  test("counts refused requests, but none without a key; those over it are not in total_calls", async () => {
    covers("errors.429.rate-limited");
    const { mock, call } = await setUp(2);
    await call.submit({ seed: -1 });
    await call.poll("job_none");
    await call.get("/", {});
    for (let time = 0; time < 3; time += 1) expect((await call.list()).status).toBe(429);
    await mock.clock.advance("1m");
    expect((await call.account()).body.total_calls).toBe(3);
  });

  test("allows its exact number of concurrent requests", async () => {
    covers("account.rate-limit-per-min.allowance");
    const { call } = await setUp(7);
    const responses = await Promise.all(Array.from({ length: 20 }, () => call.account()));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(7);
  });
});

describe("the option rateWindow sliding", () => {
  test("allows as many requests in any 60 s", async () => {
    covers("limits.rate.per-key");
    const { mock, call } = await setUp(2, { rateWindow: "sliding", resetUnit: "delta" });
    expect(headersOf(await call.account())).toEqual(["2", "1", "60", null]);
    await mock.clock.advance("50s");
    expect(headersOf(await call.account())).toEqual(["2", "0", "60", null]);
    await mock.clock.advance("1s");
    // The next request is possible long before the whole limit is.
    expect(headersOf(await call.account())).toEqual(["2", "0", "59", "9"]);
    await mock.clock.advance("8999ms");
    expect((await call.account()).status).toBe(429);
    await mock.clock.advance("1ms");
    expect(headersOf(await call.account())).toEqual(["2", "0", "60", null]);
    expect((await call.account()).status).toBe(429);
    await mock.clock.advance("50s");
    expect((await call.account()).status).toBe(200);
    await mock.clock.advance("1h");
    expect((await call.account()).body.total_calls).toBe(5);
  });

  test("counts no request from after a date that was set back", async () => {
    covers("limits.rate.window");
    const { mock, call } = await setUp(1, { rateWindow: "sliding" });
    await call.account();
    mock.clock.set(mock.clock.now() - 3_600_000);
    expect((await call.account()).status).toBe(200);
    expect((await call.account()).status).toBe(429);
  });

  test.each(["sliding", "fixed"] as const)(
    "keeps its %s count in a snapshot",
    async (rateWindow) => {
      const { mock, call } = await setUp(1, { rateWindow });
      await call.account();
      const snapshot = await mock.snapshot();
      await mock.clock.advance("1m");
      expect((await call.account()).status).toBe(200);
      await mock.restore(snapshot);
      expect((await call.account()).status).toBe(429);
    },
  );
});

describe("the rate limit headers", () => {
  const none = [null, null, null, null];
  const date = "Thu, 01 Jan 2026 00:01:00 GMT";
  const cases: readonly (readonly [Partial<Options>, readonly unknown[], readonly unknown[]])[] = [
    [{ rateHeaders: "all" }, ["1", "0", nextMinute, null], ["1", "0", nextMinute, "45"]],
    [{ rateHeaders: "429-only" }, none, ["1", "0", nextMinute, "45"]],
    [{ rateHeaders: "none" }, none, [null, null, null, "45"]],
    [{ resetUnit: "delta" }, ["1", "0", "45", null], ["1", "0", "45", "45"]],
    [{ retryAfterFormat: "date" }, ["1", "0", nextMinute, null], ["1", "0", nextMinute, date]],
  ];

  test.each(cases)("with %j are %j, and on a 429 %j", async (options, passed, refused) => {
    covers(
      "errors.429.rate-limit-headers",
      "errors.429.retry-after",
      "errors.429.reset-unit",
      "errors.429.retry-after-form",
    );
    const { call } = await setUp(1, options);
    expect(headersOf(await call.account())).toEqual(passed);
    expect(headersOf(await call.account())).toEqual(refused);
  });

  test("are on errors too, except without a key", async () => {
    covers("errors.429.which-headers");
    const { call, anonymous } = await setUp(9);
    expect(headersOf(await call.poll("job_none"))).toEqual(["9", "8", nextMinute, null]);
    expect(headersOf(await call.submit({ seed: -1 }))).toEqual(["9", "7", nextMinute, null]);
    expect(headersOf(await anonymous.account())).toEqual(none);
  });
});
