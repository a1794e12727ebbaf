import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, startRedis } from "@tryon/test-kit/store-servers";
import { describe, expect, it, onTestFinished } from "vitest";

import { temporaryFolder } from "../../test/journal-folder.ts";
import { startProgram, type Program } from "../../test/program.ts";
import type { SharedBatchMessage, SharedBatchSettings } from "../../test/shared-batch-program.ts";

const stores = { redis: startRedis, postgres: startPostgres } as const;
const [count, processes, kills] = [200, 3, 20];
/** Number of own items after which a process is killed. Its other items are then at any point. */
const killAfter = 5;

/** Starts a service over HTTP, and returns its URL, a key without limits and the number of charges per item. */
async function startService() {
  const mock = createMock({ latency: 150 });
  let submissions = 0;
  const server = await serve({
    fetch: async (request) => {
      if (request instanceof Request && request.method === "POST") submissions += 1;
      return mock.fetch(request);
    },
  });
  onTestFinished(async () => {
    mock.close();
    await server.close();
  });
  const { token } = await mock.createKey({ credits: 1_000_000, rateLimitPerMinute: 1_000_000 });
  return {
    baseUrl: server.url,
    apiKey: token,
    submissions: () => submissions,
    charges: async () => {
      const ledger = await mock.ledger(token);
      return ledger?.entries.filter(({ credits }) => credits < 0).length;
    },
  };
}

for (const store of ["redis", "postgres"] as const) {
  describe.runIf(await isInstalled(store))(`a journal in ${store}`, () => {
    it(
      "is charged once for each item of a batch in three processes that are killed and restarted",
      { timeout: 300_000 },
      async () => {
        const { charges, submissions, ...service } = await startService();
        const server = await stores[store]();
        onTestFinished(() => server.remove());
        const cache = await temporaryFolder();
        const settings: SharedBatchSettings = {
          ...service,
          store,
          storeUrl: server.url,
          count,
          claimTtl: 2_000,
        };
        let [killed, own] = [0, 0];
        /** Items that have ended in any process, and their outcomes. */
        const outcomes = new Map<string, string>();

        /** Runs one of the processes until it has read all items. Kills it after some of them, and starts it again. */
        async function runProcess(): Promise<ReadonlySet<string>> {
          for (;;) {
            const program: Program<SharedBatchMessage> = startProgram(
              "shared-batch-program.ts",
              [JSON.stringify(settings)],
              cache,
            );
            onTestFinished(() => program.kill());
            const read = new Set<string>();
            let message: SharedBatchMessage | undefined;
            let ended = 0;
            while ((message = await program.next()) !== undefined && message !== "done") {
              expect(message.outcome).toBe("succeeded");
              outcomes.set(message.id, message.outcome);
              read.add(message.id);
              if (message.fromJournal) continue;
              ended += 1;
              own += 1;
              if (ended < killAfter || killed >= kills) continue;
              killed += 1;
              break;
            }
            if (message === "done") return read;
            await program.kill();
            const { code, errors } = await program.end;
            if (code !== null) throw new Error(`The batch failed with ${code}: ${errors}`);
          }
        }

        const all = await Promise.all(Array.from({ length: processes }, runProcess));
        const results = outcomes.size;
        const counts = { kills: killed, charges: await charges(), results };
        // oxlint-disable-next-line no-console
        console.log({ store, ...counts, submissions: submissions(), own });
        expect(counts).toEqual({ kills, charges: count, results: count });
        for (const read of all) expect(read.size).toBe(count);
        // Without claims, each process submits each item.
        expect(submissions()).toBeLessThan(2 * count);
      },
    );
  });
}
