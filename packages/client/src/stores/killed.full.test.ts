import { join } from "node:path";

import { createMock, profileNames, type ProfileName } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, startRedis } from "@tryon/test-kit/store-servers";
import { describe, expect, it, onTestFinished } from "vitest";

import { temporaryFolder } from "../../test/journal-folder.ts";
import { startProgram, type Program } from "../../test/program.ts";
import type { SharedBatchMessage, SharedBatchSettings } from "../../test/shared-batch-program.ts";

const timeout = { timeout: 300_000 };
const stores = { redis: startRedis, postgres: startPostgres } as const;
/** Number of own items after which a process is killed. Its other items are then at any point. */
const killAfter = 5;

/** Points of a submission at which its process is killed. */
const points = ["during the upload", "before the work", "after the work"] as const;

interface KilledBatch extends Pick<
  SharedBatchSettings,
  "store" | "storeUrl" | "sync" | "transport" | "isLate"
> {
  readonly count: number;
  readonly processes: number;
  /** Number of kills after items. */
  readonly kills: number;
  /** Number of kills at each of the points. @default 0 */
  readonly ofEach?: number;
  readonly profile?: ProfileName;
}

/** Runs processes with one batch until each has read all items. Kills and restarts them. */
async function runKilled(batch: KilledBatch) {
  const { count, processes, kills, ofEach = 0, profile = "default", ...own } = batch;
  const mock = createMock({ latency: 150, profile });
  let submissions = 0;
  /** Kills at points that are left, in turn. */
  const left = Array.from({ length: ofEach }, () => points).flat();
  const running = new Map<string, Program<SharedBatchMessage>>();
  const server = await serve({
    fetch: async (request) => {
      if (!(request instanceof Request) || request.method !== "POST") return mock.fetch(request);
      submissions += 1;
      const { url, method, headers } = request;
      const body = request.clone();
      const isLarge = Number(headers.get("content-length") ?? Infinity) > 1_000_000;
      // Every second small submission passes, and only a large one can be cut.
      const isDue = isLarge || submissions % 2 === 0;
      const next = isDue ? left.findIndex((at) => isLarge === (at === points[0])) : -1;
      const [point] = next === -1 ? [] : left.splice(next, 1);
      const kill = () => running.get(headers.get("x-process") ?? "")?.kill();
      if (point === "during the upload") {
        await request.body?.getReader().read();
        await kill();
      }
      if (point === "before the work") await kill();
      if (point === "during the upload" || point === "before the work")
        return new Response(null, { status: 500 });
      const whole = new Request(url, { method, headers, body: await body.arrayBuffer() });
      const response = await mock.fetch(whole);
      if (point === "after the work") await kill();
      return response;
    },
  });
  onTestFinished(async () => {
    mock.close();
    await server.close();
  });
  const key = { credits: 1_000_000, rateLimitPerMinute: 1_000_000 };
  const { token: apiKey } = await mock.createKey(key);
  const cache = await temporaryFolder();
  const settings: SharedBatchSettings = {
    ...own,
    baseUrl: server.url,
    apiKey,
    count,
    claimTtl: 2_000,
  };
  let [killed, ended] = [0, 0];
  /** Items that have ended in any process, and their outcomes. */
  const outcomes = new Map<string, string>();

  async function runProcess(): Promise<ReadonlySet<string>> {
    for (;;) {
      const args = [JSON.stringify(settings)];
      const program = startProgram<SharedBatchMessage>("shared-batch-program.ts", args, cache);
      onTestFinished(() => program.kill());
      running.set(String(program.pid), program);
      const read = new Set<string>();
      let message: SharedBatchMessage | undefined;
      let items = 0;
      while ((message = await program.next()) !== undefined && message !== "done") {
        expect(message.outcome).toBe("succeeded");
        outcomes.set(message.id, message.outcome);
        read.add(message.id);
        if (message.fromJournal) continue;
        items += 1;
        ended += 1;
        if (items < killAfter || killed >= kills) continue;
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
  for (const read of all) expect(read.size).toBe(count);
  expect({ killed, left, results: outcomes.size }).toEqual({
    killed: kills,
    left: [],
    results: count,
  });
  const entries = (await mock.ledger(apiKey))?.entries ?? [];
  const charges = entries.filter(({ credits }) => credits < 0).length;
  // oxlint-disable-next-line no-console
  console.log({ ...own, kills: killed + ofEach * points.length, charges, submissions, ended });
  return { charges, submissions };
}

for (const store of ["redis", "postgres"] as const) {
  describe.runIf(await isInstalled(store))(`a journal in ${store}`, () => {
    it(
      "is charged once for each item of a batch in three processes that are killed and restarted",
      timeout,
      async () => {
        const server = await stores[store]();
        onTestFinished(() => server.remove());
        const batch = { store, storeUrl: server.url, count: 200, processes: 3, kills: 20 };
        const { charges, submissions } = await runKilled(batch);
        expect(charges).toBe(200);
        // Without claims, each process submits each item.
        expect(submissions).toBeLessThan(400);
      },
    );
  });
}

async function runInFile(batch: Partial<KilledBatch>): Promise<number> {
  const storeUrl = join(await temporaryFolder(), "run.ndjson");
  const counts = { count: 24, processes: 1, kills: 2, ofEach: 2 };
  return (await runKilled({ store: "file", storeUrl, ...counts, ...batch })).charges;
}

describe("a journal in a file", () => {
  it("is charged once for each item of a batch that is killed and restarted", timeout, async () => {
    const variants = profileNames.flatMap((profile, index) =>
      [true, false].map((sync) => ({
        profile,
        sync,
        transport: sync === (index === 0) ? undefined : ("fetch" as const),
      })),
    );
    expect(await Promise.all(variants.map(runInFile))).toEqual([24, 24, 24, 24]);
  });

  it("is charged again if entries are not written before the requests", timeout, async () => {
    expect(await runInFile({ isLate: true, count: 16, kills: 0 })).toBeGreaterThan(16);
  });
});
