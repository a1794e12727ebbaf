import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { installedStores, serveBatches, startBatch } from "../../test/shared-batches.ts";

const hour = 3_600_000;
const claimTtl = 1_500;
/** 90 % of it is the time within which a batch submits again. */
const [shortWindow, longWindow] = [2_000, 60_000];

const cache = await mkdtemp(join(tmpdir(), "tryon-clock-"));
afterAll(() => rm(cache, { recursive: true, force: true }));

describe.each(await installedStores())("processes on %s", (store, startStore) => {
  let server: Awaited<ReturnType<typeof startStore>>;
  let names = 0;
  beforeAll(async () => {
    server = await startStore();
  }, 60_000);
  afterAll(() => server.remove(), 60_000);

  /** Submits an item in one process, whose response is held back, and returns a function that starts another one. */
  async function submitInOne(idempotencyWindow = longWindow) {
    const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { settings, counts } = await serveBatches({ latency: 50 }, (submission) => {
      arrived.resolve();
      return submission === 1 && release.promise;
    });
    onTestFinished(() => release.resolve());
    const name = `clock-${(names += 1)}`;
    const common = { store, storeUrl: server.url, count: 1, claimTtl, idempotencyWindow, name };
    const start = (dateOffset: number) => startBatch({ ...settings, ...common, dateOffset }, cache);
    const first = start(0);
    await arrived.promise;
    return { first, start, counts, release: release.resolve };
  }

  const succeeded = { id: "sku-0", outcome: "succeeded" };

  it.each(store === "sqlite" ? [0] : [-hour, hour])(
    "submit a killed item again within its window, with a date that differs by %i ms",
    { timeout: 60_000 },
    async (offset) => {
      const { first, start, counts } = await submitInOne();
      await first.kill();
      expect(await start(offset).next()).toMatchObject({ ...succeeded, fromJournal: false });
      expect(await counts()).toEqual({ submissions: 2, charges: 1 });
    },
  );

  it.each([-hour, hour])(
    "search for a killed item after its window, with a date that differs by %i ms",
    { timeout: 60_000 },
    async (offset) => {
      const { first, start, counts } = await submitInOne(shortWindow);
      await first.kill();
      await setTimeout(shortWindow);
      expect(await start(offset).next()).toMatchObject({ ...succeeded, fromJournal: false });
      expect(await counts()).toEqual({ submissions: 1, charges: 1 });
    },
  );

  it.each([-hour, hour])(
    "take no item of a running process, with a date that differs by %i ms",
    { timeout: 60_000 },
    async (offset) => {
      const { first, start, release, counts } = await submitInOne();
      const other = start(offset);
      const message = other.next();
      expect(await Promise.race([message, setTimeout(3 * claimTtl, "held")])).toBe("held");
      release();
      expect(await first.next()).toMatchObject({ ...succeeded, fromJournal: false });
      expect(await message).toMatchObject({ ...succeeded, fromJournal: true });
      expect(await counts()).toEqual({ submissions: 1, charges: 1 });
    },
  );
});
