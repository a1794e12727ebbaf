import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import type { MockOptions } from "@tryon/mock";

import { crashService, type CrashService } from "./crash-service.ts";
import { temporaryFolder } from "./journal-folder.ts";
import type {
  ItemReport,
  Item,
  CrashPoint,
  BatchSettings,
  ProgramMessage,
} from "./crash-points.ts";
import { startProgram, type Program } from "./program.ts";

/** Batch that is killed at each crash point of its items. */
export interface CrashScenario {
  readonly items: readonly Item[];
  readonly server: MockOptions;
  readonly sync: boolean;
  readonly concurrency: number;
  readonly journal: BatchSettings["journal"];
  /** Additional kills, in milliseconds after a start. */
  readonly randomKills: readonly number[];
  /** Time between a kill and the restart, in milliseconds of the fast clock. */
  readonly restartDelay: number;
}

/** Outcome of a scenario. */
export interface Outcome {
  /** Crash points in the order of the kills. */
  readonly kills: readonly (CrashPoint | "at any time")[];
  /** Broken promises. */
  readonly violations: readonly string[];
  /** Outcomes of the items in the last run, by id. */
  readonly ended: ReadonlyMap<string, ItemReport>;
  readonly charges: ReadonlyMap<string, number>;
}

/** Runs a batch, kills it at each crash point, and restarts it until it ends. */
export async function runCrashScenario(scenario: CrashScenario, cache: string): Promise<Outcome> {
  const path = join(await temporaryFolder(), "run.ndjson");
  const batchProcess = new BatchProcess(scenario);
  const service = await crashService(
    scenario.server,
    (id) => batchProcess.crashPointOf(id),
    (id) => batchProcess.killFor(id),
  );
  const { url, apiKey, time } = service;
  const randomKills = [...scenario.randomKills];
  for (let run = 1; ; run += 1) {
    if (run > 3 * scenario.items.length) throw new Error("The batch does not end.");
    const { items } = batchProcess;
    const { journal, sync, concurrency } = scenario;
    const settings: BatchSettings = { url, apiKey, path, time, journal, sync, concurrency, items };
    const program: Program<ProgramMessage> = startProgram(
      "crash-batch.ts",
      [JSON.stringify(settings)],
      cache,
    );
    const ended = await batchProcess.run(
      program,
      service,
      run % 6 === 0 ? randomKills.shift() : undefined,
    );
    if (ended !== undefined) {
      return {
        kills: batchProcess.kills,
        violations: batchProcess.violations,
        ended,
        charges: await service.charges(),
      };
    }
    await service.advance(scenario.restartDelay);
  }
}

/** Processes of one batch, and the crash points that are left. */
class BatchProcess {
  readonly kills: (CrashPoint | "at any time")[] = [];
  readonly violations: string[] = [];
  readonly #all: readonly Item[];
  readonly #left: Map<string, CrashPoint>;
  #killing: (() => Promise<void>) | undefined;
  #exit = Promise.withResolvers<void>();
  #isIgnored = false;

  constructor({ items }: CrashScenario) {
    this.#all = items;
    this.#left = new Map(
      items.flatMap(({ id, crashPoint }) => (crashPoint ? [[id, crashPoint]] : [])),
    );
  }

  /** Items with the crash points that are left. */
  get items(): readonly Item[] {
    return this.#all.map((item) => ({ ...item, crashPoint: this.#left.get(item.id) }));
  }

  crashPointOf(id: string): CrashPoint | undefined {
    return this.#left.get(id);
  }

  /** Runs a program until it ends, or kills it at the first crash point or after a delay. */
  async run(
    program: Program<ProgramMessage>,
    service: CrashService,
    killAfter: number | undefined,
  ): Promise<ReadonlyMap<string, ItemReport> | undefined> {
    this.#exit = Promise.withResolvers();
    this.#killing = () => program.kill();
    this.#isIgnored = killAfter !== undefined;
    const timer = new AbortController();
    if (killAfter !== undefined) void this.#killLater(killAfter, timer.signal);
    for (;;) {
      const message = await program.hear();
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
      await this.killFor(id);
      const isBefore =
        crashPoint === "before the entry is written" || crashPoint === "before the POST";
      if (isBefore && service.arrived.has(id)) this.violations.push(`${id} was sent ${crashPoint}`);
      if (!isBefore) await service.isCharged(id);
    }
    const { code, errors } = await program.end;
    if (code !== null) throw new Error(`The batch failed with ${code}: ${errors}`);
    await this.#exit.promise;
    return undefined;
  }

  /** Kills the program for an item if it still runs and has a crash point. Resolves once it has ended. */
  async killFor(id: string): Promise<void> {
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

  async #kill(why: CrashPoint | "at any time"): Promise<void> {
    const kill = this.#killing;
    if (kill === undefined) return;
    this.#killing = undefined;
    this.kills.push(why);
    await kill();
    this.#exit.resolve();
  }
}
