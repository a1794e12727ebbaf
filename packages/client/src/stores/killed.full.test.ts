import { expect, describe, it, onTestFinished } from "vitest";

import { temporaryFolder } from "../../test/journal-folder.ts";
import type { SharedBatchMessage } from "../../test/shared-batch-program.ts";
import { installedStores, serveBatches, startBatch } from "../../test/shared-batches.ts";

const [count, processes, kills] = [200, 3, 20];
/** Number of items that the first limit allows. */
const limit = 120;
/** Number of own items after which a process is killed. Its other items are then at any point. */
const killAfter = 5;

describe.each(await installedStores())("a journal in %s", (store, startStore) => {
  it(
    "stays within the limit of a batch in three processes that are killed and restarted, and charges each item once under a higher one",
    { timeout: 600_000 },
    async () => {
      const { settings: service, counts: countAll } = await serveBatches({ latency: 150 });
      const charges = async () => (await countAll()).charges;
      const server = await startStore();
      onTestFinished(() => server.remove());
      const cache = await temporaryFolder();
      let [killed, own] = [0, 0];
      /** Items that have ended in any process, and their outcomes. */
      const outcomes = new Map<string, string>();

      /** Runs one of the processes until its batch ends. Kills it after some items, and starts it again. */
      async function runProcess(maxCredits: number, maxKills: number) {
        const claimTtl = 2_000;
        const common = { store, storeUrl: server.url, count, maxCredits, claimTtl };
        for (;;) {
          const program = startBatch({ ...service, ...common }, cache);
          const read = new Set<string>();
          let message: SharedBatchMessage | undefined;
          let ended = 0;
          while (typeof (message = await program.next()) === "object") {
            expect(message.outcome).toBe("succeeded");
            outcomes.set(message.id, message.outcome);
            read.add(message.id);
            if (message.fromJournal) continue;
            ended += 1;
            own += 1;
            if (ended < killAfter || killed >= maxKills) continue;
            killed += 1;
            break;
          }
          if (typeof message === "string") return { end: message, read };
          await program.kill();
          const { code, errors } = await program.end;
          if (code !== null) throw new Error(`The batch failed with ${code}: ${errors}`);
        }
      }
      const runAll = (items: number, maxKills: number) =>
        Promise.all(Array.from({ length: processes }, () => runProcess(8 * items, maxKills)));

      const stopped = [];
      // In the second run, no process is killed: it sends what the killed ones have reserved.
      for (let run = 0; run < 2; run += 1) {
        stopped.push(...(await runAll(limit, kills / 2)).map(({ end }) => end));
        expect(await charges()).toBeLessThanOrEqual(limit);
      }
      expect([new Set(stopped), await charges()]).toEqual([new Set(["stopped"]), limit]);
      const all = await runAll(count, kills);
      const results = outcomes.size;
      const { submissions, charges: charged } = await countAll();
      const counts = { kills: killed, charges: charged, results };
      // oxlint-disable-next-line no-console
      console.log({ store, ...counts, submissions, own });
      expect(counts).toEqual({ kills, charges: count, results: count });
      for (const { read } of all) expect(read.size).toBe(count);
      // Without claims, each process submits each item.
      expect(submissions).toBeLessThan(2 * count);
    },
  );
});
