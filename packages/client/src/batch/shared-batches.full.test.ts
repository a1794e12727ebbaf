import { expect, it } from "vitest";

import { makeDigestsInstant } from "../../test/instant-digests.ts";
import { openDatabase, upTo } from "../../test/memory-journal.ts";
import { createService, input, type TestService } from "../../test/service.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { batch, type SharedJournal } from "./index.ts";

makeDigestsInstant();

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`);

/** Runs a batch of items, and returns the number of those that it has submitted itself. */
async function runShared(
  { client }: TestService,
  apiKey: string,
  journal: SharedJournal,
  skus: readonly string[],
  { concurrency, sync = true }: { concurrency?: number; sync?: boolean } = {},
): Promise<number> {
  const items = batch(client({ apiKey }), skus, {
    id: (sku) => sku,
    input: (sku) => ({ ...input, metadata: { sku } }),
    journal,
    sync,
    concurrency,
  });
  const { read, error } = await upTo(items);
  expect([error, read.filter((item) => item.error)]).toEqual([undefined, []]);
  expect(read).toHaveLength(skus.length);
  return read.filter(({ fromJournal }) => !fromJournal).length;
}

/** Batch with this number of items, and its name. */
type Batch = readonly [count: number, name?: string];

/** Runs three batches at once without a 429. Returns the number of their submissions, and the time in milliseconds. */
async function runThree(
  service: TestService,
  rateLimitPerMinute: number,
  batches: readonly [Batch, Batch, Batch],
  options: Parameters<typeof runShared>[4] = {},
) {
  const { mock } = service;
  const { token } = await mock.createKey({ rateLimitPerMinute, credits: 100_000 });
  const open = openDatabase(service);
  const opened = batches.map(async ([count, name]) => [await open(name), ids(count)] as const);
  const journals = await Promise.all(opened);
  const startedAt = mock.clock.now();
  const runs = journals.map(([journal, skus]) => runShared(service, token, journal, skus, options));
  const own = await service.run(Promise.all(runs));
  expect(mock.journal.entries().filter(({ status }) => status === 429)).toEqual([]);
  const sum = own.reduce((total, count) => total + count);
  return { own, sum, duration: mock.clock.now() - startedAt };
}

it.each(
  (["all", "none"] as const).flatMap((rateHeaders) =>
    (["fixed", "sliding"] as const).map((rateWindow) => ({ rateHeaders, rateWindow })),
  ),
)(
  "three processes use 90 % of the rate limit of their key together without a 429, with X-RateLimit headers on: $rateHeaders, and a $rateWindow window",
  async (options) => {
    const service = createService({ latency: "14s", options: { ...options, syncCut: "off" } });
    // Two of them work on one batch, the third on another one.
    const { sum, duration } = await runThree(service, 60, [[60], [60], [30, "autumn-2027"]]);
    expect(sum).toBe(90);
    // Each of them reads the account once, and the last item takes 14 seconds.
    expect(duration).toBeLessThan((93 / 54 + 0.25) * 60_000);
    expect(service.sent).toHaveLength(93);
  },
);

it.each([
  { rateHeaders: "none", limit: 10 },
  { rateHeaders: "all", limit: 60 },
  { rateHeaders: "none", limit: 60 },
] as const)(
  "three processes that poll share the rate limit of their key without a 429: %j",
  async ({ rateHeaders, limit }) => {
    const options = { rateHeaders, rateWindow: "sliding" } as const;
    const service = createService({ latency: "14s", options });
    const batches = [[limit], [limit], [limit / 2, "autumn-2027"]] as const;
    const { sum, duration } = await runThree(service, limit, batches, { sync: false });
    expect(sum).toBe(1.5 * limit);
    // Submissions take 2 minutes, and the last polls some more.
    expect(duration).toBeLessThan((limit === 10 ? 5 : 3) * 60_000);
  },
);

it.each([
  { latency: 50, concurrency: 4 },
  { latency: 50, concurrency: 60 },
  { latency: 5_000, concurrency: 20 },
])(
  "three processes share the items evenly, and wait for each other only shortly: %j",
  async ({ latency, concurrency }) => {
    const service = createService({ latency, options: { rateHeaders: "none", syncCut: "off" } });
    const batches = [[720], [720], [720]] as const;
    const { own, sum, duration } = await runThree(service, 1_000_000, batches, { concurrency });
    expect(sum).toBe(720);
    const rounds = 720 / 3 / concurrency;
    expect(duration).toBeLessThan(1.2 * rounds * latency + 400);
    for (const count of own) expect(Math.abs(count - 240)).toBeLessThan(48);
  },
);

it.each([
  { processes: 2, count: 100, limits: [400, 400, 800] },
  { processes: 3, count: 321, limits: [2_400, 2_400, 2_568] },
])(
  "$processes processes with the same limit are never over it, and continue to the end under a higher one: $limits",
  async ({ processes, count, limits }) => {
    const service = createService({ latency: 1_000 });
    const { token } = await service.mock.createKey({ credits: 10_000, rateLimitPerMinute: 6_000 });
    const open = openDatabase(service);
    for (const maxCredits of limits) {
      const all = Array.from({ length: processes }, async () => {
        const tryon = service.client({ apiKey: token });
        const journal = await open();
        const settings = { id: (id: string) => id, input: () => input, journal };
        return upTo(batch(tryon, ids(count), { ...settings, budget: { maxCredits } }));
      });
      const ends = await service.run(Promise.all(all));
      const isEnough = maxCredits >= 8 * count;
      for (const { error } of ends) expect(isTryOnError(error, "batch_stopped")).toBe(!isEnough);
      expect((await service.mock.ledger(token))?.balance).toBe(10_000 - maxCredits);
      for (const { read } of ends) expect(read.length).toBeGreaterThanOrEqual(isEnough ? count : 0);
    }
  },
);
