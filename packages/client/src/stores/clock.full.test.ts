import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, startRedis, startSqlite } from "@tryon/test-kit/store-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { startProgram, type Program } from "../../test/program.ts";
import type { SharedBatchMessage, SharedBatchSettings } from "../../test/shared-batch-program.ts";

const hour = 3_600_000;
const claimTtl = 1_500;
/** 90 % of it is the time within which a batch submits again. */
const [shortWindow, longWindow] = [2_000, 60_000];

const stores = { redis: startRedis, postgres: startPostgres, sqlite: startSqlite } as const;

/** Starts a service over HTTP that holds back the response to the first submission. */
async function startService() {
  const mock = createMock({ latency: 50 });
  const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let submissions = 0;
  const server = await serve({
    fetch: async (request) => {
      const response = await mock.fetch(request);
      if (!(request instanceof Request) || request.method !== "POST") return response;
      submissions += 1;
      if (submissions > 1) return response;
      arrived.resolve();
      await release.promise;
      return response;
    },
  });
  onTestFinished(async () => {
    release.resolve();
    mock.close();
    await server.close();
  });
  return {
    settings: { baseUrl: server.url, apiKey: mock.keys.live },
    arrived: arrived.promise,
    release: release.resolve,
    counts: async () => {
      const ledger = await mock.ledger(mock.keys.live);
      const charges = ledger?.entries.filter(({ credits }) => credits < 0).length;
      return { submissions, charges };
    },
  };
}

for (const store of ["redis", "postgres", "sqlite"] as const) {
  describe.runIf(store === "sqlite" || (await isInstalled(store)))(`processes on ${store}`, () => {
    let server: Awaited<ReturnType<(typeof stores)[typeof store]>>;
    let cache: string;
    let names = 0;
    beforeAll(async () => {
      server = await stores[store]();
      cache = await mkdtemp(join(tmpdir(), "tryon-clock-"));
    }, 60_000);
    afterAll(async () => {
      await server.remove();
      await rm(cache, { recursive: true, force: true });
    }, 60_000);

    /** Submits an item in one process, and returns a function that starts another one. */
    async function submitInOne(idempotencyWindow = longWindow) {
      const { settings: service, ...rest } = await startService();
      const name = `clock-${(names += 1)}`;
      const start = (dateOffset: number): Program<SharedBatchMessage> => {
        const common = { store, storeUrl: server.url, count: 1, claimTtl, idempotencyWindow };
        const settings: SharedBatchSettings = { ...service, ...common, name, dateOffset };
        const program = startProgram<SharedBatchMessage>(
          "shared-batch-program.ts",
          [JSON.stringify(settings)],
          cache,
        );
        onTestFinished(() => program.kill());
        return program;
      };
      const first = start(0);
      await rest.arrived;
      return { first, start, ...rest };
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
}
