import { describe, expect, it } from "vitest";

import type { TryOn } from "../index.ts";
import { createWorld, input, type World } from "../testing/world.ts";
import { batch } from "./index.ts";

/** A world whose key may make 60 requests a minute. */
async function limited(
  options: Parameters<typeof createWorld>[0],
): Promise<{ readonly world: World; readonly tryon: TryOn; readonly token: string }> {
  const world = createWorld({ latency: "14s", ...options });
  const { token } = await world.mock.createKey({ rateLimitPerMinute: 60, credits: 10_000 });
  return { world, tryon: world.client({ apiKey: token }), token };
}

/** How many answers had each status. */
function statuses({ mock }: World): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of mock.journal.entries())
    counts[`${status}`] = (counts[`${status}`] ?? 0) + 1;
  return counts;
}

describe("a batch alone with its key", () => {
  it.each(["all", "429-only", "none"] as const)(
    "uses nine tenths of the limit and never meets it, with X-RateLimit on: %s",
    async (rateHeaders) => {
      const { world, tryon } = await limited({ options: { rateHeaders, holdCut: "off" } });
      const { run, mock, sent } = world;
      const startedAt = mock.clock.now();
      const work = async (): Promise<void> => {
        const inputs = Array.from({ length: 240 }, () => input);
        for await (const { error } of batch(tryon, inputs, { sync: true }))
          expect(error).toBeUndefined();
      };
      await run(work());
      // The last of them takes its 14 seconds.
      const minutes = (mock.clock.now() - startedAt) / 60_000;
      expect(statuses(world)).toEqual({ 200: 241 });
      expect(minutes).toBeLessThan(240 / 54 + 0.25);
      expect(sent).toHaveLength(241);
    },
  );
});

it("makes inputs that take long at the same time, and no more of them than are started meanwhile", async () => {
  const { world, tryon } = await limited({});
  const { run, mock } = world;
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
  // One after the other they would take four minutes.
  expect(mock.clock.now() - startedAt).toBeLessThan(100_000);
  expect(most).toBeLessThanOrEqual(6);
});

it("reads no further ahead than a second of what the limit allows", async () => {
  const { world, tryon } = await limited({});
  let read = 0;
  function* source() {
    for (;;) {
      read += 1;
      yield input;
    }
  }
  const items = batch(tryon, source(), { concurrency: 50 });
  const next = items.next();
  await world.mock.clock.advance("10s");
  // The first at once, then one a second, and one that waits for its turn.
  expect(read).toBeGreaterThanOrEqual(10);
  expect(read).toBeLessThanOrEqual(12);
  await world.run(next);
  await world.run(items.return());
});

describe("a batch that is not alone with its key", () => {
  it("waits for what is left to be renewed", async () => {
    const { world, tryon, token } = await limited({
      options: { rateHeaders: "all", holdCut: "off" },
      latency: 500,
    });
    const { run, mock, client } = world;
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
    expect(statuses(world)["429"] ?? 0).toBeLessThanOrEqual(2);
  });
});

describe("without a limit that is known", () => {
  it("nothing is spaced, and as many are in flight as may be", async () => {
    const world = createWorld({ latency: "10s", options: { rateHeaders: "none", holdCut: "off" } });
    const { mock, run, fetch, client } = world;
    // As at a proxy that keeps the account to itself.
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
    // 8, 16, 32 and the rest.
    expect(mock.clock.now() - startedAt).toBeLessThan(50_000);
    expect(Math.max(...most)).toBeGreaterThan(20);
  });
});

it("halves what is in flight when the service says that it is too much", async () => {
  const world = createWorld({ latency: "5s", options: { holdCut: "off" } });
  const { mock, run, tryon } = world;
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
