import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { seededRandom } from "../../test/seeded-random.ts";
import { respondWith, createService, cut, fieldsOf, input } from "../../test/service.ts";

const tooMany = (seconds: number) =>
  respondWith(429, { detail: "Rate limit exceeded" }, { "retry-after": String(seconds) });

/** Headers of a response after which no request is left. */
const exhausted = (reset: string) => ({
  "x-ratelimit-limit": "60",
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": reset,
});

/** Creates a service, and a client whose key has this rate limit per minute. */
async function limitedService(limit: number, options?: Parameters<typeof createService>[0]) {
  const service = createService(options);
  const { client, mock } = service;
  const { token } = await mock.createKey({ rateLimitPerMinute: limit, credits: 5_000 });
  return { ...service, tryon: client({ apiKey: token, random: seededRandom(9), timeout: "1h" }) };
}

describe("a 429", () => {
  it("delays every call of its client, then sends one after the other", async () => {
    let chance = 0;
    const random = (): number => (chance = (chance + 0.3) % 1);
    const { run, client, faults, sent, mock } = createService();
    const tryon = client({ random });
    const job = await run(tryon.submit(input));
    const { image } = await run(job.result());
    const before = sent.length;
    faults.push(tooMany(20));
    const start = mock.clock.now();
    const first = tryon.account.get();
    await mock.clock.advance(1);
    // Neither another client nor an image waits.
    await run(Promise.all([client().account.get(), image.bytes()]));
    expect(mock.clock.now()).toBe(start + 1);
    await run(Promise.all([first, tryon.account.get(), tryon.jobs.list().page(), job.result()]));
    const times = sent.slice(before + 3).map(({ at }) => at - start);
    for (const time of times) expect(time).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...times)).toBeLessThan(25_000);
    expect(new Set(times.slice(0, 3)).size).toBe(3);
  });

  it("without a time is retried with growing delays, which uses up no retries", async () => {
    const { run, client, faults, times } = createService();
    faults.push(...Array.from({ length: 3 }, () => respondWith(429, { detail: "busy" })));
    await run(client({ retries: 0 }).account.get());
    expect(times()).toEqual([0, 750, 1_750, 3_250]);
  });

  it("for longer than a minute ends its own call and later ones, which are not sent", async () => {
    const { error, run, tryon, faults, sent, mock } = createService();
    faults.push(tooMany(90));
    const own = { code: "rate_limited", retryAfter: 90, attempts: { length: 1 } };
    expect(await error(tryon.account.get())).toMatchObject(own);
    await mock.clock.advance("20s");
    const refused = await error(tryon.submit(input));
    if (!isTryOnError(refused, "rate_limited")) throw refused;
    expect(refused.retryAfter).toBeCloseTo(70, 0);
    expect(refused.attempts).toEqual([]);
    expect(refused.message).toContain("was not sent");
    expect(sent).toHaveLength(1);
    await mock.clock.advance("30s");
    await run(tryon.account.get());
  });

  it.each([
    { limit: "a minute", seconds: 600, options: {} },
    { limit: "the idempotency window", seconds: 30, options: { idempotencyWindow: "20s" } },
  ] as const)(
    "for longer than $limit leaves the outcome of a submission that may have arrived unknown",
    async ({ seconds, options }) => {
      const { error, run, client, faults, mock, submissions, balance } = createService();
      faults.push(cut.after, tooMany(seconds));
      const tryon = client({ random: () => 1, ...options });
      const work = tryon.submit(input);
      await mock.clock.advance(1);
      const other = tryon.account.get().catch(() => undefined);
      const failed = await error(work);
      await run(other);
      if (!isTryOnError(failed, "outcome_unknown")) throw failed;
      expect(failed.cause).toMatchObject({ code: "rate_limited" });
      expect(failed.attempts).toHaveLength(1);
      expect(submissions()).toHaveLength(1);
      expect(await balance()).toBe(992);
    },
  );
});

describe("a known rate limit", () => {
  it.each(["all", "429-only", "none"] as const)(
    "prevents every 429 of the only client of a key, with the headers %s",
    async (rateHeaders) => {
      const { run, tryon, mock, sent } = await limitedService(10, { options: { rateHeaders } });
      await run(mock.clock.advance("47s"));
      await run(tryon.account.get());
      const options = { timeout: "1h" } as const;
      const calls = [
        ...Array.from({ length: 40 }, () => tryon.submit(input, options)),
        ...Array.from({ length: 7 }, () => tryon.jobs.list(options).page()),
      ];
      // In one move, which takes less time than many.
      await mock.clock.advance("10m");
      await Promise.all<unknown>(calls);
      expect(mock.journal.entries().filter(({ status }) => status !== 200)).toEqual([]);
      // 48 at 10 a minute take four minutes, and slightly more if the service does not say when its minutes begin.
      // The reset of a sliding window moves with each request, and the client waits for it.
      const minutes = mock.options.rateWindow === "sliding" ? 7 : 5;
      expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).toBeLessThan(minutes * 60_000);
    },
  );

  it("keeps the order of the calls", async () => {
    const { run, tryon, mock, sent } = await limitedService(5);
    await run(tryon.account.get());
    const seeds = Array.from({ length: 20 }, (_none, seed) => seed);
    const calls = seeds.map((seed) => tryon.submit({ ...input, seed }));
    await mock.clock.advance("10m");
    await Promise.all(calls);
    expect(sent.slice(1).map((request) => fieldsOf(request)["seed"])).toEqual(seeds);
  });

  it("sends a read before most of the queued submissions, and the reverse", async () => {
    const { run, tryon, mock, sent } = await limitedService(10);
    await run(tryon.account.get());
    const read = (): Promise<unknown> => tryon.jobs.list({ timeout: "1h" }).page();
    const submit = (): Promise<unknown> => tryon.submit(input);
    for (const [queued, other, method] of [
      [submit, read, "GET"],
      [read, submit, "POST"],
    ] as const) {
      const before = sent.length;
      const calls = Array.from({ length: 25 }, queued);
      await mock.clock.advance(1);
      const start = mock.clock.now();
      calls.push(other());
      await mock.clock.advance("10m");
      await Promise.all(calls);
      const first = sent.slice(before).find((request) => request.method === method);
      expect((first?.at ?? Number.NaN) - start).toBeLessThan(65_000);
    }
  });

  it("counts requests in flight", async () => {
    const { run, tryon, mock } = await limitedService(10, { options: { rateHeaders: "all" } });
    await run(tryon.account.get());
    const known = { limit: 10, source: "headers" };
    expect(tryon.rateLimit).toMatchObject({ ...known, remaining: 9 });
    const held = [1, 2, 3].map(() => tryon.run(input));
    expect(tryon.rateLimit).toMatchObject({ ...known, remaining: 9 });
    await mock.clock.advance(1);
    expect(tryon.rateLimit).toMatchObject({ ...known, remaining: 6 });
    await run(Promise.all(held));
    expect(tryon.rateLimit).toMatchObject({ ...known, remaining: 6 });
  });
});

it("sends many calls over an unknown limit in few more requests", async () => {
  const { run, tryon, sent } = await limitedService(5);
  const calls = Array.from({ length: 17 }, () => tryon.jobs.list({ timeout: "1h" }).page());
  await run(Promise.all(calls));
  expect(sent.length).toBeLessThan(60);
});

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
    const { run, client, mock, sent } = createService({
      options: { rateWindow: "fixed", ...options },
    });
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

it.each(["all", "429-only", "none"] as const)(
  "stays under a limit that counts the last 60 s, with X-RateLimit headers on: %s",
  async (rateHeaders) => {
    const options = { rateWindow: "sliding", rateHeaders } as const;
    const { run, tryon, mock } = await limitedService(5, { options });
    await run(tryon.account.get());
    for (let burst = 0; burst < 4; burst += 1) {
      await mock.clock.advance("23s");
      const calls = Array.from({ length: 4 }, () => tryon.jobs.list({ timeout: "1h" }).page());
      await run(Promise.all(calls));
    }
    const refused = mock.journal.entries().filter(({ status }) => status === 429);
    expect(refused.length).toBeLessThanOrEqual(1);
  },
);

it("adds the rate limit of the response to an error", async () => {
  const { error, tryon, faults, mock } = createService();
  faults.push(respondWith(429, { detail: "busy" }, exhausted("75")));
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
  ["in milliseconds", String(Date.UTC(2026, 0, 1) + 2_000), 100],
  ["of another time zone", String(Date.UTC(2026, 0, 1, 3) / 1_000), 60_000],
])("delays a call by one window at most if the reset is a date %s", async (_what, reset, max) => {
  const { run, tryon, faults, mock } = createService();
  const account = { name: null, credits_remaining: 1, rate_limit_per_min: 60 };
  faults.push(respondWith(200, account, exhausted(reset)));
  await run(tryon.account.get());
  const before = mock.clock.now();
  await run(tryon.account.get({ timeout: "5m" }));
  expect(mock.clock.now() - before).toBeLessThanOrEqual(max + 1_000);
});
