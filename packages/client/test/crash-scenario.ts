import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { TryOn } from "@tryon/client";
import type { BatchItem } from "@tryon/client/batch";
import { createMock, type Mock, type MockOptions } from "@tryon/mock";
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
  readonly server: MockOptions;
  readonly sync: boolean;
  readonly concurrency: number;
  /** `in memory`: a broken journal, which writes its entries only when it is closed. */
  readonly journal: "on disk" | "in memory";
  /** Additional kills, in milliseconds after a start. */
  readonly randomKills: readonly number[];
  /** Time between a kill and the restart, in milliseconds of the fast clock. */
  readonly restartDelay: number;
}

/** Settings of the program. */
export interface BatchSettings extends Pick<
  CrashScenario,
  "items" | "sync" | "concurrency" | "journal"
> {
  readonly url: string;
  readonly apiKey: string;
  /** Path of the journal. */
  readonly path: string;
  /** Clock that runs faster than the system clock: `Date.now() * speed + offset`, the same in all processes. */
  readonly time: { readonly speed: number; readonly offset: number };
  /** Request header with the id of the item. */
  readonly itemHeader: string;
}

/** Outcome of an item: "succeeded" or an error code. */
export interface ItemReport extends Pick<BatchItem<Item>, "id" | "fromJournal"> {
  readonly outcome: string;
}

/** Message of the program. */
type ProgramMessage =
  | { readonly waiting: string; readonly crashPoint: CrashPoint }
  | { readonly ended: readonly ItemReport[] };

/** Runs a batch, kills it at each crash point, and restarts it until it ends. */
export async function runCrashScenario(scenario: CrashScenario, cache: string) {
  const { items, restartDelay } = scenario;
  const path = join(await temporaryFolder(), "run.ndjson");
  const crashing = await CrashingBatch.start(scenario);
  const randomKills = [...scenario.randomKills];
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

const itemHeader = "x-item";

/** Processes of one batch, and their server over HTTP, which kills them at the crash points of items. */
class CrashingBatch {
  /** Crash points in the order of the kills. */
  readonly kills: (CrashPoint | "at any time")[] = [];
  /** Broken promises. */
  readonly violations: string[] = [];
  readonly #scenario: CrashScenario;
  readonly #mock: Mock;
  readonly #apiKey: string;
  /** Client that reads the jobs. */
  readonly #tryon: TryOn;
  /** Crash points that are left, by item. */
  readonly #left: Map<string, CrashPoint>;
  /** Items whose submission has arrived at least partially. */
  readonly #arrived = new Set<string>();
  readonly #time = { speed: 10, offset: 0 };
  #url = "";
  #killing: (() => Promise<void>) | undefined;
  #exit = Promise.withResolvers<void>();
  #isIgnored = false;

  private constructor(scenario: CrashScenario, mock: Mock, apiKey: string) {
    this.#scenario = scenario;
    this.#mock = mock;
    this.#apiKey = apiKey;
    const { baseUrl, fetch } = mock;
    this.#tryon = new TryOn({ apiKey, baseUrl, fetch });
    this.#time.offset = mock.clock.now() - Date.now() * this.#time.speed;
    this.#left = new Map(
      scenario.items.flatMap(({ id, crashPoint }) => (crashPoint ? [[id, crashPoint]] : [])),
    );
  }

  /** Starts the server until the end of the test. */
  static async start(scenario: CrashScenario): Promise<CrashingBatch> {
    const mock = createMock({ clock: "manual", latency: 3_000, ...scenario.server });
    const key = await mock.createKey({ credits: 1_000_000, rateLimitPerMinute: 1_000_000 });
    const crashing = new CrashingBatch(scenario, mock, key.token);
    const server = await serve({
      fetch: async (request) => {
        if (!(request instanceof Request)) throw new TypeError("A server gets requests.");
        const id = request.headers.get(itemHeader);
        return id === null ? mock.fetch(request) : crashing.#submit(request, id);
      },
    });
    crashing.#url = server.url;
    const open = new AbortController();
    const running = crashing.#runClock(open.signal);
    onTestFinished(async () => {
      open.abort();
      await running;
      mock.close();
      await server.close();
    });
    return crashing;
  }

  /** Runs a program until it ends, or kills it at the first crash point or after a delay. */
  async run(
    path: string,
    cache: string,
    killAfter: number | undefined,
  ): Promise<ReadonlyMap<string, ItemReport> | undefined> {
    const { sync, concurrency, journal } = this.#scenario;
    const settings: BatchSettings = {
      items: this.#scenario.items.map((item) => ({ ...item, crashPoint: this.#left.get(item.id) })),
      sync,
      concurrency,
      journal,
      path,
      itemHeader,
      url: this.#url,
      apiKey: this.#apiKey,
      time: this.#time,
    };
    const args = [JSON.stringify(settings)];
    const program = startProgram<ProgramMessage>("crash-batch.ts", args, cache);
    this.#exit = Promise.withResolvers();
    this.#killing = () => program.kill();
    this.#isIgnored = killAfter !== undefined;
    const timer = new AbortController();
    if (killAfter !== undefined) void this.#killLater(killAfter, timer.signal);
    for (;;) {
      const message = await program.next();
      if (message === undefined) break;
      if ("ended" in message) {
        timer.abort();
        this.#killing = undefined;
        this.#exit.resolve();
        await program.end;
        return new Map(message.ended.map((one) => [one.id, one]));
      }
      if (this.#killing === undefined || this.#isIgnored) continue;
      const { waiting: id, crashPoint } = message;
      await this.#killFor(id);
      const isBefore = crashPoints.before.some((point) => point === crashPoint);
      if (!isBefore) await this.#charged(id);
      else if (this.#arrived.has(id)) this.violations.push(`${id} was sent ${crashPoint}`);
    }
    const { code, errors } = await program.end;
    if (code !== null) throw new Error(`The batch failed with ${code}: ${errors}`);
    await this.#exit.promise;
    return undefined;
  }

  /** Advances the clock of the server and of programs started later. */
  async advance(by: number): Promise<void> {
    this.#time.offset += by;
    const until = this.#now;
    while (this.#mock.clock.now() < until) await setTimeout(5);
  }

  /** Returns the number of charges per item. */
  async charges(): Promise<Map<string, number>> {
    const jobs = await this.#tryon.jobs.list({ limit: 50 }).toArray();
    const skus = new Map(jobs.map(({ id, data }) => [id, String(data.metadata?.["sku"])]));
    const ledger = await this.#mock.ledger(this.#apiKey);
    const counts = new Map<string, number>();
    for (const { credits, jobId = "" } of ledger?.entries ?? []) {
      const sku = skus.get(jobId) ?? jobId;
      if (credits < 0) counts.set(sku, (counts.get(sku) ?? 0) + 1);
    }
    return counts;
  }

  /** Resolves once an item is charged. A new job can be missing from the list briefly. */
  async #charged(id: string): Promise<void> {
    while (!(await this.charges()).has(id)) await setTimeout(5);
  }

  async #submit(request: Request, id: string): Promise<Response> {
    this.#arrived.add(id);
    const crashPoint = this.#left.get(id);
    const lost = new Response(null, { status: 500 });
    if (crashPoint === "during the upload") {
      await request.body?.getReader().read();
      await this.#killFor(id);
      return lost;
    }
    // A copy, since the connection is about to close.
    const { url, method, headers } = request;
    const whole = new Request(url, { method, headers, body: await request.arrayBuffer() });
    if (crashPoint?.startsWith("after the upload") === true) await this.#killFor(id);
    if (crashPoint === "after the upload, request lost") return lost;
    const response = this.#mock.fetch(whole);
    if (crashPoint === "after the charge") {
      await this.#charged(id);
      await this.#killFor(id);
    }
    await response;
    if (crashPoint === "before the response") await this.#killFor(id);
    return response;
  }

  /** Kills the program for an item if it still runs and has a crash point. Resolves once it has ended. */
  async #killFor(id: string): Promise<void> {
    const crashPoint = this.#left.get(id);
    if (crashPoint !== undefined && this.#killing !== undefined && !this.#isIgnored) {
      this.#left.delete(id);
      await this.#kill(crashPoint);
    }
    return this.#exit.promise;
  }

  async #killLater(after: number, signal: AbortSignal): Promise<void> {
    await setTimeout(after, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await this.#kill("at any time");
  }

  async #kill(reason: CrashPoint | "at any time"): Promise<void> {
    const kill = this.#killing;
    if (kill === undefined) return;
    this.#killing = undefined;
    this.kills.push(reason);
    await kill();
    this.#exit.resolve();
  }

  get #now(): number {
    return Date.now() * this.#time.speed + this.#time.offset;
  }

  async #runClock(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#mock.clock.advance(Math.max(0, this.#now - this.#mock.clock.now()));
      await setTimeout(20);
    }
  }
}
