import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import type { Options } from "../options.ts";
import { caller, type ClientResponse } from "../../test/caller.ts";
import { checkRateWindowResets } from "../../test/checks.ts";
import { covers } from "../../test/covers.ts";

async function setUp(options: Partial<Options> = {}, limit = 2) {
  const mock = createMock({ clock: "manual", options });
  await mock.clock.advance("15500ms");
  const { token } = await mock.createKey({ rateLimitPerMinute: limit });
  return { mock, call: caller(mock, token) };
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
  test("refuses with 429 what is over it, until the next minute", async () => {
    covers(
      "errors.429.rate-limited",
      "limits.rate.per-key",
      "account.rate-limit-per-min.allowance",
    );
    const { mock } = await setUp();
    await expect(checkRateWindowResets(mock)).resolves.toBeUndefined();
  });

  test("counts calls that were refused for another reason, but no call without a key", async () => {
    covers("errors.429.rate-limited");
    const { call } = await setUp();
    await call.submit({ seed: -1 });
    await call.poll("job_none");
    await call.get("/", {});
    expect((await call.account()).status).toBe(429);
  });

  test("lets through exactly as many of many concurrent calls", async () => {
    covers("account.rate-limit-per-min.allowance");
    const { call } = await setUp({}, 7);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call.account()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  });

  test("counts as calls only what passed it", async () => {
    covers("account.total-calls.what-counts");
    const { mock, call } = await setUp({}, 3);
    for (let time = 0; time < 9; time += 1) await call.list();
    await mock.clock.advance("1m");
    expect((await call.account()).body.total_calls).toBe(4);
  });
});

describe("the headers of the rate limit", () => {
  const cases: readonly (readonly [Partial<Options>, readonly unknown[], readonly unknown[]])[] = [
    [{ rateHeaders: "all" }, ["1", "0", nextMinute, null], ["1", "0", nextMinute, "45"]],
    [{ rateHeaders: "429-only" }, [null, null, null, null], ["1", "0", nextMinute, "45"]],
    [{ rateHeaders: "none" }, [null, null, null, null], [null, null, null, "45"]],
    [{ resetUnit: "delta" }, ["1", "0", "45", null], ["1", "0", "45", "45"]],
    [
      { retryAfterFormat: "date" },
      ["1", "0", nextMinute, null],
      ["1", "0", nextMinute, "Thu, 01 Jan 2026 00:01:00 GMT"],
    ],
  ];

  test.each(cases)("are with %j as they are said to be", async (options, passed, refused) => {
    covers(
      "errors.429.rate-limit-headers",
      "errors.429.retry-after",
      "errors.429.which-headers",
      "errors.429.reset-unit",
      "errors.429.retry-after-form",
    );
    const { call } = await setUp(options, 1);
    expect(headersOf(await call.account())).toEqual(passed);
    expect(headersOf(await call.account())).toEqual(refused);
  });

  test("are on errors too, and not where there is no key", async () => {
    covers("errors.429.which-headers");
    const { mock, call } = await setUp({}, 9);
    expect(headersOf(await call.poll("job_none"))).toEqual(["9", "8", nextMinute, null]);
    expect(headersOf(await call.submit({ seed: -1 }))).toEqual(["9", "7", nextMinute, null]);
    expect(headersOf(await caller(mock, null).account())).toEqual([null, null, null, null]);
  });
});
