import { describe, expect, it } from "vitest";

import type { TryOn } from "../index.ts";
import { createService, input, type TestService } from "../../test/service.ts";
import { batch } from "./index.ts";

/** Creates a server with a key that allows 60 requests a minute. */
async function limited(
  options: Parameters<typeof createService>[0],
): Promise<{ readonly service: TestService; readonly tryon: TryOn; readonly token: string }> {
  const service = createService({ latency: "14s", ...options });
  const { token } = await service.mock.createKey({ rateLimitPerMinute: 60, credits: 10_000 });
  return { service, tryon: service.client({ apiKey: token }), token };
}

/** Counts responses by status. */
function statuses({ mock }: TestService): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of mock.journal.entries())
    counts[`${status}`] = (counts[`${status}`] ?? 0) + 1;
  return counts;
}

describe("a batch with its own key", () => {
  it.each(["all", "429-only", "none"] as const)(
    "uses 90 % of the rate limit without a 429, with X-RateLimit headers on: %s",
    async (rateHeaders) => {
      const { service, tryon } = await limited({ options: { rateHeaders, holdCut: "off" } });
      const { run, mock, sent } = service;
      const startedAt = mock.clock.now();
      const work = async (): Promise<void> => {
        const inputs = Array.from({ length: 240 }, () => input);
        for await (const { error } of batch(tryon, inputs, { sync: true }))
          expect(error).toBeUndefined();
      };
      await run(work());
      // The last item takes 14 seconds.
      const minutes = (mock.clock.now() - startedAt) / 60_000;
      expect(statuses(service)).toEqual({ 200: 241 });
      expect(minutes).toBeLessThan(240 / 54 + 0.25);
      expect(sent).toHaveLength(241);
    },
  );
});

it("creates slow inputs concurrently, at most as many as start meanwhile", async () => {
  const { service, tryon } = await limited({});
  const { run, mock } = service;
  const startedAt = mock.clock.now();
  let [making, most] = [0, 0];
  const make = async () => {
    most = Math.max(most, (making += 1));
    await new Promise<void>((made) => mock.clock.setTimeout(made, 4_000));
    making -= 1;
    return input;
  };
  const work = async (): Promise<void> => {
    const skus = Array.from({ length: 60 }, (_none, index) => index);
    for await (const { error } of batch(tryon, skus, { input: make }))
      expect(error).toBeUndefined();
  };
  await run(work());
  // In sequence, they would take four minutes.
  expect(mock.clock.now() - startedAt).toBeLessThan(100_000);
  expect(most).toBeLessThanOrEqual(6);
});

it("reads ahead for at most one second of the rate limit", async () => {
  const { service, tryon } = await limited({});
  let read = 0;
  function* source() {
    for (;;) {
      read += 1;
      yield input;
    }
  }
  const items = batch(tryon, source(), { concurrency: 50 });
  const next = items.next();
  await service.mock.clock.advance("10s");
  // The first starts immediately, then one per second, and one waits for its turn.
  expect(read).toBeGreaterThanOrEqual(10);
  expect(read).toBeLessThanOrEqual(12);
  await service.run(next);
  await service.run(items.return());
});

describe("a batch that shares its key", () => {
  it("waits for the reset of the rate limit", async () => {
    const { service, tryon, token } = await limited({
      options: { rateHeaders: "all", holdCut: "off" },
      latency: 500,
    });
    const { run, mock, client } = service;
    const other = client({ apiKey: token });
    const stop = { now: false };
    const others = async (): Promise<void> => {
      while (!stop.now) {
        await other.account.get().catch(() => undefined);
        await new Promise<void>((resolve) => {
          mock.clock.setTimeout(resolve, 2_000);
        });
      }
    };
    const work = async (): Promise<void> => {
      const inputs = Array.from({ length: 60 }, () => input);
      for await (const { error } of batch(tryon, inputs, { sync: true }))
        expect(error).toBeUndefined();
      stop.now = true;
    };
    await run(Promise.all([work(), others()]));
    expect(statuses(service)["429"] ?? 0).toBeLessThanOrEqual(2);
  });
});

describe("a batch without a known rate limit", () => {
  it("starts items without spacing up to the maximum concurrency", async () => {
    const service = createService({
      latency: "10s",
      options: { rateHeaders: "none", holdCut: "off" },
    });
    const { mock, run, fetch, client } = service;
    // A proxy may not expose the account.
    const tryon = client({
      fetch: async (url, init) =>
        url.endsWith("/account")
          ? Response.json({ detail: "closed" }, { status: 403 })
          : fetch(url, init),
    });
    const startedAt = mock.clock.now();
    const most: number[] = [];
    const onProgress = ({ inFlight }: { inFlight: number }) => most.push(inFlight);
    const work = async (): Promise<void> => {
      const inputs = Array.from({ length: 100 }, () => input);
      for await (const { error } of batch(tryon, inputs, { onProgress }))
        expect(error).toBeUndefined();
    };
    await run(work());
    // 8, 16, 32 and the remaining items.
    expect(mock.clock.now() - startedAt).toBeLessThan(50_000);
    expect(Math.max(...most)).toBeGreaterThan(20);
  });
});

it("halves the items in flight after a 429", async () => {
  const service = createService({ latency: "5s", options: { holdCut: "off" } });
  const { mock, run, tryon } = service;
  const inFlight: number[] = [];
  const onProgress = (progress: { inFlight: number; done: number }) => {
    if (progress.done === 20) mock.faults.add({ on: "POST /api/v1/tryon", status: 503, times: 1 });
    inFlight.push(progress.inFlight);
  };
  const work = async (): Promise<void> => {
    const inputs = Array.from({ length: 60 }, () => input);
    for await (const { error } of batch(tryon, inputs, { onProgress }))
      expect(error).toBeUndefined();
  };
  await run(work());
  const peak = inFlight.indexOf(Math.max(...inFlight.slice(0, 40)));
  expect(Math.min(...inFlight.slice(peak, 56))).toBeLessThanOrEqual((inFlight[peak] ?? 0) / 2);
});
