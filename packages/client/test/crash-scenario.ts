import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { TryOn } from "@tryon/client";
import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { onTestFinished } from "vitest";

import { temporaryFolder } from "./journal-folder.ts";
import { startProgram } from "./program.ts";

/** Points at which the program is killed: before, during and after the POST, until its outcome is written. */
export const crashPoints = {
  before: ["before the entry is written", "before the POST"],
  during: [
    "during the upload",
    "after the upload, request lost",
    "after the upload, job created later",
    "after the charge",
  ],
  after: ["before the response", "after the response", "before the job is written"],
} as const;

export type CrashPoint = (typeof crashPoints)[keyof typeof crashPoints][number];

/** One item, and the point at which the program is killed for it. */
export interface Item {
  readonly id: string;
  readonly crashPoint?: CrashPoint | undefined;
  /** If true, the input is large enough for a partial upload. */
  readonly isLarge?: boolean | undefined;
}

/** Batch that is killed at each crash point of its items. */
export interface CrashScenario {
  readonly items: readonly Item[];
  readonly server?: MockOptions;
  readonly sync?: boolean;
  readonly concurrency?: number;
  /** `in memory`: a broken journal, which writes its entries only when it is closed. */
  readonly journal?: "on disk" | "in memory";
  /** The default is the one of Node. */
  readonly transport?: "fetch" | undefined;
  /** Additional kills, in milliseconds after a start. */
  readonly randomKills?: readonly number[];
  /** Time between a kill and the restart, in milliseconds of the fast clock. */
  readonly restartDelay?: number;
  /** If set, each restart has a new API key. If true, it also has the earlier keys, as `recoveryKeys`. */
  readonly rotatesWithKeys?: boolean;
}

/** Settings of the program. */
export interface BatchSettings
  extends
    Required<Pick<CrashScenario, "items" | "sync" | "concurrency" | "journal">>,
    Pick<CrashScenario, "transport"> {
  readonly url: string;
  readonly apiKey: string;
  readonly recoveryKeys: readonly string[];
  /** Path of the journal. */
  readonly path: string;
  /** Clock that runs faster than the system clock: `Date.now() * speed + offset`, the same in all processes. */
  readonly time: { readonly speed: number; readonly offset: number };
}

/** Id of an item, and its outcome: "succeeded" or an error code. */
export type ItemReport = readonly [id: string, outcome: string];

/** Message of the program. */
type ProgramMessage =
  | { readonly waiting: string; readonly crashPoint: CrashPoint }
  | { readonly ended: readonly ItemReport[] };

/** Runs a batch, kills it at each crash point, and restarts it until it ends. */
export async function runCrashScenario(scenario: CrashScenario, cache: string) {
  const { items, restartDelay = 0 } = scenario;
  const path = join(await temporaryFolder(), "run.ndjson");
  const crashing = await startCrashingBatch(scenario);
  const randomKills = [...(scenario.randomKills ?? [])];
  for (let run = 1; run <= 3 * items.length; run += 1) {
    const ended = await crashing.run(path, cache, run % 6 === 0 ? randomKills.shift() : undefined);
    if (ended !== undefined) {
      const { kills, violations } = crashing;
      return { kills, violations, ended, charges: await crashing.charges() };
    }
    await crashing.advance(restartDelay);
  }
  throw new Error("The batch does not end.");
}

/**
 * Starts the server of a batch over HTTP, until the end of the test. It kills the programs that run the batch at the crash
 * points of their items.
 */
async function startCrashingBatch(scenario: CrashScenario) {
  const { items, sync = true, concurrency = 6, journal = "on disk" } = scenario;
  /** Crash points in the order of the kills. */
  const kills: (CrashPoint | "at any time")[] = [];
  /** Broken promises. */
  const violations: string[] = [];
  /** Crash points that are left, by item. */
  const left = new Map(
    items.flatMap(({ id, crashPoint }) => (crashPoint ? [[id, crashPoint] as const] : [])),
  );
  /** Items whose submission has arrived at least partially. */
  const arrived = new Set<string>();
  let killing: (() => Promise<void>) | undefined;
  let exit = Promise.withResolvers<void>();
  let isIgnored = false;
  const mock = createMock({ clock: "manual", latency: 3_000, ...scenario.server });
  const key = { credits: 1_000_000, rateLimitPerMinute: 1_000_000 };
  const { token } = await mock.createKey(key);
  const apiKeys = [token];
  const { baseUrl, fetch } = mock;
  const time = { speed: 10, offset: 0 };
  const now = (): number => Date.now() * time.speed + time.offset;
  time.offset = mock.clock.now() - now();
  const server = await serve({
    fetch: async (request) => {
      if (!(request instanceof Request)) throw new TypeError("A server gets requests.");
      const id = request.headers.get("x-item");
      return id === null ? fetch(request) : submit(request, id);
    },
  });
  const open = new AbortController();
  const running = runClock(open.signal);
  onTestFinished(async () => {
    open.abort();
    await running;
    mock.close();
    await server.close();
  });
  return { kills, violations, run, advance, charges };

  /** Runs a program until it ends, or kills it at the first crash point or after a delay. */
  async function run(
    path: string,
    cache: string,
    killAfter: number | undefined,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const settings: BatchSettings = {
      items: items.map((item) => ({ ...item, crashPoint: left.get(item.id) })),
      sync,
      concurrency,
      journal,
      path,
      url: server.url,
      apiKey: apiKeys.at(-1) ?? "",
      recoveryKeys: scenario.rotatesWithKeys === true ? apiKeys.slice(0, -1) : [],
      transport: scenario.transport,
      time,
    };
    const args = [JSON.stringify(settings)];
    const program = startProgram<ProgramMessage>("crash-batch.ts", args, cache);
    exit = Promise.withResolvers();
    killing = () => program.kill();
    isIgnored = killAfter !== undefined;
    const timer = new AbortController();
    if (killAfter !== undefined) void killLater(killAfter, timer.signal);
    for (;;) {
      const message = await program.next();
      if (message === undefined) break;
      if ("ended" in message) {
        timer.abort();
        killing = undefined;
        exit.resolve();
        await program.end;
        return new Map(message.ended);
      }
      if (killing === undefined || isIgnored) continue;
      const { waiting: id, crashPoint } = message;
      await killFor(id);
      const isBefore = crashPoints.before.some((point) => point === crashPoint);
      if (!isBefore) await charged(id);
      else if (arrived.has(id)) violations.push(`${id} was sent ${crashPoint}`);
    }
    const { code, errors } = await program.end;
    if (code !== null) throw new Error(`The batch failed with ${code}: ${errors}`);
    await exit.promise;
    if (scenario.rotatesWithKeys !== undefined) apiKeys.push((await mock.createKey(key)).token);
    return undefined;
  }

  /** Advances the clock of the server and of programs started later. */
  async function advance(by: number): Promise<void> {
    time.offset += by;
    const until = now();
    while (mock.clock.now() < until) await setTimeout(5);
  }

  async function charges(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const apiKey of apiKeys) {
      const tryon = new TryOn({ apiKey, baseUrl, fetch });
      const jobs = await tryon.jobs.list({ limit: 50 }).toArray();
      // Every item has its SKU as text.
      const skus = new Map(jobs.map(({ id, data }) => [id, data.metadata?.["sku"] as string]));
      const ledger = await mock.ledger(apiKey);
      for (const { credits, jobId = "" } of ledger?.entries ?? []) {
        const sku = skus.get(jobId) ?? jobId;
        if (credits < 0) counts.set(sku, (counts.get(sku) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** Resolves once an item is charged. A new job can be missing from the list briefly. */
  async function charged(id: string): Promise<void> {
    while (!(await charges()).has(id)) await setTimeout(5);
  }

  async function submit(request: Request, id: string): Promise<Response> {
    arrived.add(id);
    const crashPoint = left.get(id);
    const lost = new Response(null, { status: 500 });
    if (crashPoint === "during the upload") {
      await request.body?.getReader().read();
      await killFor(id);
      return lost;
    }
    // A copy, since the connection is about to close.
    const { url, method, headers } = request;
    const whole = new Request(url, { method, headers, body: await request.arrayBuffer() });
    if (crashPoint?.startsWith("after the upload") === true) await killFor(id);
    if (crashPoint === "after the upload, request lost") return lost;
    const response = mock.fetch(whole);
    if (crashPoint === "after the charge") {
      await charged(id);
      await killFor(id);
    }
    await response;
    if (crashPoint === "before the response") await killFor(id);
    return response;
  }

  /** Kills the program for an item if it still runs and has a crash point. Resolves once it has ended. */
  async function killFor(id: string): Promise<void> {
    const crashPoint = left.get(id);
    if (crashPoint !== undefined && killing !== undefined && !isIgnored) {
      left.delete(id);
      await kill(crashPoint);
    }
    return exit.promise;
  }

  async function killLater(after: number, signal: AbortSignal): Promise<void> {
    await setTimeout(after, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await kill("at any time");
  }

  async function kill(reason: CrashPoint | "at any time"): Promise<void> {
    const killProgram = killing;
    if (killProgram === undefined) return;
    killing = undefined;
    kills.push(reason);
    await killProgram();
    exit.resolve();
  }

  async function runClock(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await mock.clock.advance(Math.max(0, now() - mock.clock.now()));
      await setTimeout(20);
    }
  }
}
