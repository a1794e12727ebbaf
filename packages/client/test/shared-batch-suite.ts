import { setTimeout } from "node:timers/promises";

import {
  batch,
  type BatchItem,
  type CommonOptions,
  type Journal,
  type SharedJournal,
} from "@tryon/client/batch";
import { createMock } from "@tryon/mock";
import { describe, expect, it, onTestFinished } from "vitest";

import { isTryOnError, TryOn } from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import type { DatabaseJournal } from "../src/stores/journal-entry.ts";
import { entry as entryOf } from "./journal-folder.ts";
import { claimSuite, journalSuite, totalSuite, type JournalStorage } from "./journal-suite.ts";
import { collect, input } from "./service.ts";

/** Opens a service whose key has no limit in practice. Its clock runs fast, also while a journal is read. */
async function openShop() {
  const mock = createMock({ clock: "manual", latency: 1_000 });
  const { clock, baseUrl } = mock;
  const open = new AbortController();
  let isPaused = false;
  const running = (async () => {
    while (!open.signal.aborted) {
      if (!isPaused) await clock.advance(500);
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
  const charges = async () => {
    const ledger = await mock.ledger(token);
    return ledger?.entries.filter(({ credits }) => credits < 0).length;
  };
  return {
    /** Lets the next jobs fail. */
    fail: (count: number): void => {
      for (let left = count; left > 0; left -= 1) mock.nextJob({ outcome: "failed" });
    },
    /** Stops the time until as many jobs were charged. */
    pauseUntil: async (count: number): Promise<void> => {
      isPaused = true;
      await expect.poll(charges, { timeout: 10_000 }).toBe(count);
      isPaused = false;
    },
    fetch: mock.fetch,
    client: (fetch: Fetch = mock.fetch): TryOn =>
      new TryOn({ apiKey: token, baseUrl, fetch, clock, ...timeouts }),
    charges,
  };
}

const skus = Array.from({ length: 30 }, (_, index) => `sku-${index}`);

function runBatch(
  tryon: TryOn,
  journal: Journal,
  items: readonly string[] = skus,
  sync = true,
  maxCredits = 8 * skus.length,
  more: CommonOptions = {},
) {
  const options = { journal, sync, concurrency: 4, budget: { maxCredits }, ...more };
  return batch(tryon, items, {
    ...options,
    id: (sku) => sku,
    input: (sku) => ({ ...input, metadata: { sku } }),
  });
}

/** Runs batches of all items at the same time, each with the limit. Returns how each of them ended. */
async function runLimited(
  storage: JournalStorage<SharedJournal>,
  client: () => TryOn,
  maxCredits: number,
  most = Infinity,
): Promise<string[]> {
  const run = async (): Promise<string> => {
    const items = runBatch(client(), await storage.open(), skus, true, maxCredits);
    let read = 0;
    try {
      for await (const { error } of items) {
        if (error && !isTryOnError(error, "budget_exceeded")) throw error;
        if ((read += 1) === most) return "left";
      }
      return "done";
    } catch (error) {
      if (!isTryOnError(error, "batch_stopped")) throw error;
      return isTryOnError(error.cause) ? error.cause.code : "stopped";
    }
  };
  return Promise.all([run(), run(), run()]);
}

const idsOf = (items: readonly BatchItem<string>[]) => items.map(({ id }) => id).toSorted();

export type OpenStorage = (claimTtl?: number) => JournalStorage<DatabaseJournal>;

/** Tests of every journal in a database. */
export function sharedJournalSuite(createStorage: OpenStorage): void {
  journalSuite(createStorage);
  claimSuite(createStorage);
  totalSuite(createStorage);
  sharedBatchSuite(createStorage);
}

function sharedBatchSuite(
  createStorage: (claimTtl?: number) => JournalStorage<SharedJournal>,
): void {
  /** Opens a shop, and a storage without entries. */
  async function setUp(claimTtl?: number) {
    const storage = createStorage(claimTtl);
    await storage.clear();
    return { ...(await openShop()), storage };
  }

  describe("batches that share a journal", () => {
    it("submit each item once, and each batch yields all items", async () => {
      const { storage, client, charges } = await setUp();
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
      const { storage, client, charges, fail, pauseUntil } = await setUp();
      const items = skus.slice(0, 6);
      const run = async (maxAttempts: number, jobs = 15) => {
        const more = { retryFailed: { maxAttempts } };
        return collect(runBatch(client(), await storage.open(), items, true, 8 * jobs, more));
      };
      fail(9);
      const first = await run(1);
      expect(first.map(({ status }) => status)).toEqual(Array(6).fill("failed"));
      expect(await charges()).toBe(6);
      await expect(run(3, 6)).rejects.toMatchObject({ code: "batch_stopped" });
      expect(await charges()).toBe(6);
      // Three of the second attempts fail, and in each process all items succeed with the third. None of these begins earlier.
      const running = Promise.all([run(3), run(3), run(3)]);
      await pauseUntil(12);
      const all = await running;
      for (const ended of all) {
        expect(ended.map(({ status }) => status)).toEqual(Array(6).fill("succeeded"));
        const attempts = ended.reduce((sum, item) => sum + item.attempts, 0);
        expect(attempts).toBe(15);
      }
      expect(await charges()).toBe(15);
      // The service can refund failed jobs.
      expect(await (await storage.open()).total?.()).toBe(8 * 15);
    });

    it("spend no more than their limit together", async () => {
      const { storage, client, charges } = await setUp();
      for (let run = 0; run < 2; run += 1) {
        const ends = await runLimited(storage, client, 8 * 16);
        expect([...ends, await charges()]).toEqual([...ends.map(() => "budget_exceeded"), 16]);
      }
    });

    it("spend their whole limit after they were stopped, and continue under a higher one", async () => {
      const { storage, client, charges } = await setUp(1_000);
      expect(await runLimited(storage, client, 8 * 24, 3)).toEqual(["left", "left", "left"]);
      expect(await charges()).toBeLessThanOrEqual(24);
      await runLimited(storage, client, 8 * 24);
      expect(await charges()).toBe(24);
      expect(await runLimited(storage, client, 8 * skus.length)).toEqual(["done", "done", "done"]);
      expect(await charges()).toBe(skus.length);
    });

    it("begin the total with what the entries of processes without a limit count", async () => {
      const { storage, client } = await setUp();
      const journal = await storage.open();
      await journal.claim("other", "one");
      // By the prices that this process knew.
      await journal.putClaimed(entryOf("other", { credits: 5 }), "one");
      await collect(runBatch(client(), await storage.open(), ["a"]));
      expect(await journal.total?.()).toBe(13);
    });

    it("do not repeat a submission of an earlier process beyond a limit that is lower by now", async () => {
      const { storage, client, charges, fetch } = await setUp(1);
      const [sent, killed] = [Promise.withResolvers<void>(), new AbortController()];
      const hanging = client(async (url, init) => {
        if (init.method !== "POST") return fetch(url, init);
        sent.resolve();
        return new Promise(() => undefined);
      });
      const { signal } = killed;
      const first = collect(runBatch(hanging, await storage.open(), ["a"], true, 8, { signal }));
      await sent.promise;
      killed.abort(new Error("killed"));
      await expect(first).rejects.toThrow("killed");
      const again = async (maxCredits: number): Promise<unknown> => {
        const items = runBatch(client(), await storage.open(), ["a"], true, maxCredits);
        return collect(items).catch((error: unknown) => error);
      };
      expect(await again(7)).toMatchObject({
        cause: { code: "budget_exceeded", cost: 8, spent: 8, reserved: 0, maxCredits: 7 },
      });
      expect(await charges()).toBe(0);
      expect(await again(8)).toMatchObject([{ id: "a", error: undefined }]);
      expect(await charges()).toBe(1);
    });

    it.each([
      { count: 30, sync: true },
      // Another body under the same key is a conflict, and the batch searches for the job after some time.
      { count: 4, sync: false },
    ])("charge nothing more if the journal is lost: %j", async ({ count, sync }) => {
      const { storage, client, charges } = await setUp();
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
      const { storage, client, charges, fetch } = await setUp();
      const [sent, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const paused = client(async (url, init) => {
        if (init.method === "POST") {
          sent.resolve();
          await release.promise;
        }
        return fetch(url, init);
      });
      const writes: unknown[] = [];
      const stalled = await createStorage(1).open();
      const slow: SharedJournal = {
        ...stalled,
        renew: async () => undefined,
        putClaimed: async (entry, owner) => {
          const isKept = await stalled.putClaimed(entry, owner);
          writes.push(isKept);
          return isKept;
        },
        putWithin: async (entry, owner, maxCredits) => {
          const isKept = (await stalled.putWithin?.(entry, owner, maxCredits)) ?? false;
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
      const { storage, client } = await setUp();
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
      const { storage, client, charges } = await setUp();
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
      const { storage, client, charges } = await setUp();
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
