import { expect, it } from "vitest";

import type { TryOn } from "../index.ts";
import { upTo } from "../../test/memory-journal.ts";
import { createService, input, type TestService } from "../../test/service.ts";
import { batch, type BatchOptions, type BatchProgress } from "./index.ts";

/** Creates a server with a key that allows 60 requests a minute. */
async function limited(
  options: Parameters<typeof createService>[0] = {},
): Promise<{ readonly service: TestService; readonly tryon: TryOn; readonly apiKey: string }> {
  const service = createService({ latency: "14s", ...options });
  const { token: apiKey } = await service.mock.createKey({
    rateLimitPerMinute: 60,
    credits: 10_000,
  });
  return { service, tryon: service.client({ apiKey }), apiKey };
}

/** Runs a batch without failures. Returns its duration in milliseconds. */
async function durationOf(
  { run, mock }: TestService,
  tryon: TryOn,
  length: number,
  options: BatchOptions<typeof input> = {},
): Promise<number> {
  const startedAt = mock.clock.now();
  const inputs = Array.from({ length }, () => input);
  const { read, error } = await run(upTo(batch(tryon, inputs, options)));
  expect(error).toBeUndefined();
  expect(read.filter(({ result }) => result)).toHaveLength(length);
  return mock.clock.now() - startedAt;
}

function countOf({ mock }: TestService, status: number): number {
  return mock.journal.entries().filter((entry) => entry.status === status).length;
}

it.each(
  (["all", "429-only", "none"] as const).flatMap((rateHeaders) =>
    (["fixed", "sliding"] as const).map((rateWindow) => ({ rateHeaders, rateWindow })),
  ),
)(
  "uses 90 % of the rate limit without a 429, with X-RateLimit headers on: $rateHeaders, and a $rateWindow window",
  async (options) => {
    const { service, tryon } = await limited({ options: { ...options, syncCut: "off" } });
    const duration = await durationOf(service, tryon, 240, { sync: true });
    // The last item takes 14 seconds.
    expect(duration / 60_000).toBeLessThan(240 / 54 + 0.25);
    expect([countOf(service, 200), service.sent.length]).toEqual([241, 241]);
  },
);

it("creates slow inputs concurrently, at most as many as start within ten seconds", async () => {
  const { service, tryon } = await limited();
  const { clock } = service.mock;
  let [creating, max] = [0, 0];
  const create = async () => {
    max = Math.max(max, (creating += 1));
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 4_000));
    creating -= 1;
    return input;
  };
  // In sequence, they would take four minutes.
  expect(await durationOf(service, tryon, 60, { input: create })).toBeLessThan(100_000);
  expect(max).toBeLessThanOrEqual(10);
});

it("waits for the reset of the rate limit, and reports it, if other programs use the key", async () => {
  const options = { rateHeaders: "all", syncCut: "off" } as const;
  const { service, apiKey } = await limited({ options, latency: 500 });
  const { run, mock, client } = service;
  const waits: number[] = [];
  const tryon = client({ apiKey, onRateLimit: (delay) => waits.push(delay) });
  const other = client({ apiKey });
  const state = { isDone: false };
  const others = async (): Promise<void> => {
    while (!state.isDone) {
      await other.account.get().catch(() => undefined);
      await new Promise<void>((resolve) => mock.clock.setTimeout(resolve, 2_000));
    }
  };
  const work = others();
  await durationOf(service, tryon, 60, { sync: true });
  state.isDone = true;
  await run(work);
  expect(waits.length).toBeGreaterThan(0);
  // One report for each window.
  expect(waits.length).toBeLessThanOrEqual(3);
  for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(2_000);
  expect(countOf(service, 429)).toBeLessThanOrEqual(2);
});

it("starts items without spacing up to the maximum concurrency if the rate limit is unknown", async () => {
  const service = createService({
    latency: "10s",
    options: { rateHeaders: "none", syncCut: "off" },
  });
  const { fetch, client } = service;
  // A proxy may not expose the account.
  const closed = Response.json({ detail: "closed" }, { status: 403 });
  const tryon = client({
    fetch: async (url, init) => (url.endsWith("/account") ? closed.clone() : fetch(url, init)),
  });
  const counts: number[] = [];
  const onProgress = ({ inFlight }: BatchProgress) => counts.push(inFlight);
  // 8, 16, 32 and the remaining items.
  expect(await durationOf(service, tryon, 100, { onProgress })).toBeLessThan(50_000);
  expect(Math.max(...counts)).toBeGreaterThan(20);
});

it("halves the items in flight after a 503", async () => {
  const service = createService({ latency: "5s", options: { syncCut: "off" } });
  const { mock, tryon } = service;
  const counts: number[] = [];
  const onProgress = ({ inFlight, done }: BatchProgress) => {
    if (done === 20) mock.faults.add({ on: "POST /api/v1/tryon", status: 503, times: 1 });
    counts.push(inFlight);
  };
  await durationOf(service, tryon, 60, { onProgress });
  const peak = counts.indexOf(Math.max(...counts.slice(0, 40)));
  expect(Math.min(...counts.slice(peak, 56))).toBeLessThanOrEqual((counts[peak] ?? 0) / 2);
});
