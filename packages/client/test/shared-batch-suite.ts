import { setTimeout } from "node:timers/promises";

import { batch, type BatchItem, type Journal, type SharedJournal } from "@tryon/client/batch";
import { createMock } from "@tryon/mock";
import { describe, expect, it, onTestFinished } from "vitest";

import { isTryOnError, TryOn } from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import type { JournalStorage } from "./journal-suite.ts";
import { collect, input } from "./service.ts";

/** Opens a service whose key has no limit in practice. Its clock runs fast, also while a journal is read. */
async function openShop() {
  const mock = createMock({ clock: "manual", latency: 1_000 });
  const { clock, baseUrl } = mock;
  const open = new AbortController();
  const running = (async () => {
    while (!open.signal.aborted) {
      await clock.advance(500);
      await setTimeout(1);
    }
  })();
  onTestFinished(async () => {
    open.abort();
    await running;
    mock.close();
  });
  const { token } = await mock.createKey({ credits: 10_000, rateLimitPerMinute: 1_000_000 });
  const timeouts = { attemptTimeout: "5h", timeout: "9h" } as const;
  return {
    /** Lets the next jobs fail. */
    fail: (count: number): void => {
      for (let left = count; left > 0; left -= 1) mock.nextJob({ outcome: "failed" });
    },
    fetch: mock.fetch,
    client: (fetch: Fetch = mock.fetch): TryOn =>
      new TryOn({ apiKey: token, baseUrl, fetch, clock, ...timeouts }),
    charges: async () => {
      const ledger = await mock.ledger(token);
      return ledger?.entries.filter(({ credits }) => credits < 0).length;
    },
  };
}

const skus = Array.from({ length: 30 }, (_, index) => `sku-${index}`);

function runBatch(
  tryon: TryOn,
  journal: Journal,
  items: readonly string[] = skus,
  sync = true,
  maxAttempts = 1,
) {
  const budget = { maxCredits: 8 * skus.length };
  const options = { journal, sync, concurrency: 4, budget, retryFailed: { maxAttempts } };
  return batch(tryon, items, {
    ...options,
    id: (sku) => sku,
    input: (sku) => ({ ...input, metadata: { sku } }),
  });
}

const idsOf = (items: readonly BatchItem<string>[]) => items.map(({ id }) => id).toSorted();

export function sharedBatchSuite(
  createStorage: (claimTtl?: number) => JournalStorage<SharedJournal>,
): void {
  describe("batches that share a journal", () => {
    it("submit each item once, and each batch yields all items", async () => {
      const storage = createStorage();
      await storage.clear();
      const { client, charges } = await openShop();
      const runs = [1, 2, 3].map(async () =>
        collect(runBatch(client(), await storage.open(), skus)),
      );
      const all = await Promise.all(runs);
      for (const items of all) {
        expect(idsOf(items)).toEqual(skus.toSorted());
        expect(items.filter(({ error }) => error)).toEqual([]);
      }
      const own = all.flat().filter(({ fromJournal }) => !fromJournal);
      expect(idsOf(own)).toEqual(skus.toSorted());
      expect(await charges()).toBe(skus.length);
      const again = await collect(runBatch(client(), await storage.open()));
      expect(again.every(({ fromJournal, result }) => fromJournal && result)).toBe(true);
      expect(await charges()).toBe(skus.length);
    });

    it("make each attempt of a failed item once", async () => {
      const storage = createStorage();
      await storage.clear();
      const { client, charges, fail } = await openShop();
      const items = skus.slice(0, 6);
      const run = async (maxAttempts: number) =>
        collect(runBatch(client(), await storage.open(), items, true, maxAttempts));
      fail(9);
      const first = await run(1);
      expect(first.map(({ status }) => status)).toEqual(Array(6).fill("failed"));
      expect(await charges()).toBe(6);
      // Three of the second attempts fail, and in each process all items succeed with the third.
      const all = await Promise.all([run(3), run(3), run(3)]);
      for (const ended of all) {
        expect(ended.map(({ status }) => status)).toEqual(Array(6).fill("succeeded"));
        const attempts = ended.reduce((sum, item) => sum + item.attempts, 0);
        expect(attempts).toBe(15);
      }
      expect(await charges()).toBe(15);
    });

    it.each([
      { count: 30, sync: true },
      // Another body under the same key is a conflict, and the batch searches for the job after some time.
      { count: 4, sync: false },
    ])("charge nothing more if the journal is lost: %j", async ({ count, sync }) => {
      const storage = createStorage();
      await storage.clear();
      const { client, charges } = await openShop();
      const items = skus.slice(0, count);
      const ended = new Set<string>();
      for await (const { id } of runBatch(client(), await storage.open(), items)) {
        if (ended.add(id).size === count / 2) break;
      }
      await storage.clear();
      expect(await charges()).toBeGreaterThanOrEqual(ended.size);
      const again = await collect(runBatch(client(), await storage.open(), items, sync));
      expect(again.filter(({ fromJournal, error }) => fromJournal || error)).toEqual([]);
      expect(idsOf(again)).toEqual(items.toSorted());
      expect(await charges()).toBe(count);
    });

    it("continue with the items of a batch that lost its claims, which yields their outcome from the journal", async () => {
      const storage = createStorage();
      await storage.clear();
      const { client, charges, fetch } = await openShop();
      const [sent, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const paused = client(async (url, init) => {
        if (init.method === "POST") {
          sent.resolve();
          await release.promise;
        }
        return fetch(url, init);
      });
      const writes: boolean[] = [];
      const stalled = await createStorage(1).open();
      const slow: SharedJournal = {
        ...stalled,
        renew: async () => undefined,
        putClaimed: async (entry, owner) => {
          const isKept = await stalled.putClaimed(entry, owner);
          writes.push(isKept);
          return isKept;
        },
      };
      const first = collect(runBatch(paused, slow, ["a"]));
      await sent.promise;
      const second = await collect(runBatch(client(), await storage.open(), ["a"]));
      expect(second).toMatchObject([{ id: "a", fromJournal: false, error: undefined }]);
      release.resolve();
      expect(await first).toMatchObject([{ id: "a", fromJournal: true, error: undefined }]);
      expect(writes).toEqual([true, false]);
      expect(await charges()).toBe(1);
    });

    it("run other items while many are held, and stop waiting for these when they are left", async () => {
      const storage = createStorage();
      await storage.clear();
      const { client } = await openShop();
      const journal = await storage.open();
      for (const id of skus) await journal.claim(id, "another process");
      const ids: string[] = [];
      for await (const { id } of runBatch(client(), journal, [...skus, "free"])) {
        ids.push(id);
        break;
      }
      expect(ids).toEqual(["free"]);
      expect(await journal.claim("sku-0", "a third one")).toMatchObject({ state: "held" });
    });

    it("pay several times without the claims and the name of the journal", async () => {
      const storage = createStorage();
      await storage.clear();
      const { client, charges } = await openShop();
      const shared = await storage.open();
      const [read, bothRead] = [new Set<number>(), Promise.withResolvers<void>()];
      const journalOf = (run: number): Journal => ({
        get: async (id) => {
          const entry = await shared.get(id);
          if (read.add(run).size === 2) bothRead.resolve();
          await bothRead.promise;
          return entry;
        },
        list: () => shared.list(),
        put: (entry) => shared.put(entry),
      });
      await Promise.all(
        [1, 2].map(async (run) => collect(runBatch(client(), journalOf(run), skus.slice(0, 4)))),
      );
      expect(await charges()).toBeGreaterThan(4);
    });

    it("yield held items with the reason if another item stops the batch", async () => {
      const storage = createStorage();
      await storage.clear();
      const { client, charges } = await openShop();
      const journal = await storage.open();
      await journal.claim("a", "another process");
      const tryon = client(async () =>
        Response.json({ detail: "Invalid API key" }, { status: 401 }),
      );
      const items: BatchItem<string>[] = [];
      const reading = (async () => {
        for await (const item of runBatch(tryon, journal, ["a", "b"])) items.push(item);
      })();
      await expect(reading).rejects.toMatchObject({ code: "batch_stopped" });
      const codes = Object.fromEntries(
        items.map(({ id, error }) => [id, isTryOnError(error) && error.code]),
      );
      expect(codes).toEqual({ a: "batch_stopped", b: "unauthorized" });
      expect(await charges()).toBe(0);
    });
  });
}
