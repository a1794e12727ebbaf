import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { answering, createWorld } from "../../test/world.ts";
import { readRateLimit } from "./rate-limit.ts";

const minute = 60_000;

describe.each(["all", "429-only", "none"] as const)("with the headers %s", (rateHeaders) => {
  describe.each(["epoch", "delta"] as const)("and a reset as %s", (resetUnit) => {
    it.each(["seconds", "date"] as const)(
      "and Retry-After as %s, the limit is known as far as it can be, and waited out",
      async (retryAfterFormat) => {
        const { run, client, mock, sent } = createWorld({
          options: { rateHeaders, resetUnit, retryAfterFormat },
        });
        const { token } = await mock.createKey({ rateLimitPerMinute: 3 });
        const tryon = client({ apiKey: token });
        expect(tryon.rateLimit).toBeUndefined();
        await run(mock.clock.advance("15s"));
        await run(tryon.jobs.list().page());
        const start = mock.clock.now();
        const windowEnd = Math.ceil(start / minute) * minute;
        const heard = { limit: 3, remaining: 2, source: "headers" };
        const first = tryon.rateLimit && { ...tryon.rateLimit, resetAt: undefined };
        expect(first).toEqual(rateHeaders === "all" ? { ...heard, resetAt: undefined } : undefined);
        await run(tryon.account.get());
        expect(tryon.rateLimit).toMatchObject({
          limit: 3,
          remaining: 1,
          source: rateHeaders === "all" ? "headers" : "count",
        });
        await run(tryon.account.get());
        const waiting = tryon.account.get();
        await mock.clock.advance(1);
        const { resetAt = 0, ...known } = tryon.rateLimit ?? {};
        const source = rateHeaders === "all" ? "headers" : "count";
        expect(known).toEqual({ limit: 3, remaining: 0, source });
        // Where the service does not say when its minute began, it may have begun with the first request.
        const wanted = rateHeaders === "all" ? windowEnd : start + minute;
        expect(Math.abs(resetAt - wanted)).toBeLessThan(1_500);
        await run(waiting);
        expect(sent).toHaveLength(4);
        expect(sent[3]?.at).toBeGreaterThanOrEqual(windowEnd);
        expect(tryon.rateLimit).toMatchObject({ limit: 3, remaining: 2 });
      },
    );
  });
});

describe("the rate limit", () => {
  it("is on the errors of answers that tell it", async () => {
    const { error, tryon, faults, mock } = createWorld();
    const headers = {
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "75",
    };
    faults.push(answering(429, { detail: "busy" }, headers));
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
    {
      limit: "60",
      remaining: "5",
      reset: "9",
      known: { limit: 60, remaining: 5, resetAt: 10_000 },
    },
    { limit: "0", remaining: "0", reset: "0", known: { limit: 0, remaining: 0, resetAt: 1_000 } },
    { limit: "-1", remaining: "5", reset: "9" },
    { limit: "", remaining: "5", reset: "9" },
    { limit: "60", remaining: "many", reset: "9" },
    { limit: "60", remaining: "5", reset: "Infinity" },
  ])("is $known in headers of $limit, $remaining and $reset", (headers) => {
    const { limit, remaining, reset, known } = { known: undefined, ...headers };
    const init = {
      "x-ratelimit-limit": limit,
      "x-ratelimit-remaining": remaining,
      "x-ratelimit-reset": reset,
    };
    const read = readRateLimit(new Headers(init), 1_000);
    expect(read).toEqual(known && { ...known, source: "headers" });
    expect(readRateLimit(new Headers(), 1_000)).toBeUndefined();
  });
});
