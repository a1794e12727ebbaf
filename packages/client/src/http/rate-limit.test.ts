import { expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { respondWith, createService } from "../../test/service.ts";
import { readRateLimit } from "./rate-limit.ts";

const minute = 60_000;
const formats = (["all", "429-only", "none"] as const).flatMap((rateHeaders) =>
  (["epoch", "delta"] as const).flatMap((resetUnit) =>
    (["seconds", "date"] as const).map((retryAfterFormat) => ({
      rateHeaders,
      resetUnit,
      retryAfterFormat,
    })),
  ),
);

it.each(formats)(
  "learns the limit and waits for the next minute with $rateHeaders rate headers, a reset as $resetUnit, Retry-After as $retryAfterFormat",
  async (options) => {
    const { run, client, mock, sent } = createService({ options });
    const { token } = await mock.createKey({ rateLimitPerMinute: 3 });
    const tryon = client({ apiKey: token });
    const hasHeaders = options.rateHeaders === "all";
    const source = hasHeaders ? "headers" : "count";
    expect(tryon.rateLimit).toBeUndefined();
    await run(mock.clock.advance("15s"));
    await run(tryon.jobs.list().page());
    const start = mock.clock.now();
    const windowEnd = Math.ceil(start / minute) * minute;
    const resetAt = expect.any(Number) as unknown;
    expect(tryon.rateLimit).toEqual(
      hasHeaders ? { limit: 3, remaining: 2, source, resetAt } : undefined,
    );
    await run(tryon.account.get());
    expect(tryon.rateLimit).toMatchObject({ limit: 3, remaining: 1, source });
    await run(tryon.account.get());
    const waiting = tryon.account.get();
    await mock.clock.advance(1);
    expect(tryon.rateLimit).toEqual({ limit: 3, remaining: 0, source, resetAt });
    // Without headers, the minute of the service may have begun with the first request.
    const end = hasHeaders ? windowEnd : start + minute;
    expect(Math.abs((tryon.rateLimit?.resetAt ?? 0) - end)).toBeLessThan(1_500);
    await run(waiting);
    expect(sent).toHaveLength(4);
    expect(sent[3]?.at).toBeGreaterThanOrEqual(windowEnd);
    expect(tryon.rateLimit).toMatchObject({ limit: 3, remaining: 2 });
  },
);

it("adds the rate limit of the response to an error", async () => {
  const { error, tryon, faults, mock } = createService();
  const headers = {
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "75",
  };
  faults.push(respondWith(429, { detail: "busy" }, headers));
  const failed = await error(tryon.account.get());
  if (!isTryOnError(failed, "rate_limited")) throw failed;
  const resetAt = (failed.attempts[0]?.startedAt ?? 0) + 75_000;
  expect(failed).toMatchObject({ retryAfter: 75 });
  expect(failed.rateLimit).toEqual({ limit: 60, remaining: 0, resetAt, source: "headers" });
  expect(JSON.parse(JSON.stringify(failed))).toHaveProperty("rateLimit.remaining", 0);
  expect(tryon.rateLimit).toEqual(failed.rateLimit);
  expect(mock.clock.now()).toBeLessThan(resetAt);
});

it.each([
  { limit: "60", remaining: "5", reset: "9", expected: [60, 5, 10_000] },
  { limit: "0", remaining: "0", reset: "0", expected: [0, 0, 1_000] },
  { limit: "-1", remaining: "5", reset: "9", expected: undefined },
  { limit: "", remaining: "5", reset: "9", expected: undefined },
  { limit: "60", remaining: "many", reset: "9", expected: undefined },
  { limit: "60", remaining: "5", reset: "Infinity", expected: undefined },
])("reads $expected from $limit, $remaining, $reset", ({ limit, remaining, reset, expected }) => {
  const headers = new Headers({
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": reset,
  });
  const read = readRateLimit(headers, 1_000);
  expect(read && [read.limit, read.remaining, read.resetAt]).toEqual(expected);
});
