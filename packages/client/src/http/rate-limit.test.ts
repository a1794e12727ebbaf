import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { respondWith, createService } from "../../test/service.ts";

const minute = 60_000;

describe.each(["all", "429-only", "none"] as const)("with the headers %s", (rateHeaders) => {
  describe.each(["epoch", "delta"] as const)("and a reset as %s", (resetUnit) => {
    it.each(["seconds", "date"] as const)(
      "and Retry-After as %s, the limit is known as far as it can be, and waited out",
      async (retryAfterFormat) => {
        const { run, client, mock, sent } = createService({
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

  it("is nothing where headers are no numbers", async () => {
    const { run, tryon, faults } = createService();
    const headers = { "x-ratelimit-limit": "", "x-ratelimit-remaining": "many" };
    faults.push(respondWith(200, { jobs: [] }, { ...headers, "x-ratelimit-reset": "Infinity" }));
    await run(tryon.jobs.list().page());
    expect(tryon.rateLimit).toBeUndefined();
  });
});
