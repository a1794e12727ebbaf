import { optionTable, type Options } from "@tryon/mock";
import { array, boolean, constantFrom, integer, record, tuple, type Arbitrary } from "fast-check";

import { batch, BatchStoppedError, type Journal, type JournalEntry } from "../src/batch/index.ts";
import { isTryOnError, type TryOn } from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import { makeDigestsInstant } from "./instant-digests.ts";
import { networkFaultNames, networkFaults, type NetworkFault } from "./network-faults.ts";
import { input, openService, type TestService } from "./service.ts";

/** Batch that is killed once or twice and runs again, with network faults before that. */
export interface KilledBatch {
  readonly options: Options;
  readonly faults: readonly (NetworkFault | undefined)[];
  readonly items: number;
  readonly concurrency: number;
  readonly sync: boolean | "auto";
  /** If true, the batch has a budget that all of its items fill. */
  readonly budgeted: boolean;
  /** Number of journal and network steps of each killed run. The last run is not killed. */
  readonly kills: readonly number[];
  /** Time between a kill and the next run. */
  readonly later: "0s" | "10m" | "2h";
  readonly latency: "0.1s" | "3s" | "40s";
}

/** All combinations of options, faults and kills. */
export const killedBatches: Arbitrary<KilledBatch> = record({
  // The compiler cannot infer the type of `fromEntries`: each option has one of its values.
  options: tuple(...optionTable.map(({ values }) => constantFrom<unknown>(...values))).map(
    (values) =>
      Object.fromEntries(optionTable.map(({ id }, index) => [id, values[index]])) as Options,
  ),
  faults: array(constantFrom(undefined, undefined, ...networkFaultNames), { maxLength: 6 }),
  items: integer({ min: 1, max: 4 }),
  concurrency: integer({ min: 1, max: 4 }),
  sync: constantFrom<KilledBatch["sync"]>(true, false, "auto"),
  budgeted: boolean(),
  kills: array(integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 2 }),
  later: constantFrom<KilledBatch["later"]>("0s", "10m", "2h"),
  latency: constantFrom("0.1s", "3s", "40s"),
});

/** Flush behavior of the journal. `late` loses the last entry if the program is killed. */
export type Flush = "each" | "late";

/** Outcome of a killed batch. */
export interface KilledOutcome {
  readonly violations: readonly string[];
  /** Number of killed runs. */
  readonly killed: number;
  readonly unknown: number;
}

/** Runs a killed batch until it ends, and reports broken promises. */
export async function runKilled(
  killedBatch: KilledBatch,
  flush: Flush = "each",
): Promise<KilledOutcome> {
  makeDigestsInstant();
  const { latency, options } = killedBatch;
  const service = openService({ profile: "default", options, latency, journalLimit: 1 });
  try {
    return await runKilledIn(service, killedBatch, flush);
  } finally {
    service.mock.close();
  }
}

async function runKilledIn(
  service: TestService,
  killedBatch: KilledBatch,
  flush: Flush,
): Promise<KilledOutcome> {
  const { mock } = service;
  const { kills, later, items } = killedBatch;
  const kept = new Map<string, JournalEntry>();
  service.faults.push(
    ...killedBatch.faults.map((name) => (name === undefined ? undefined : networkFaults[name])),
  );
  let killed = 0;
  for (const steps of kills) {
    const program = new KillableProgram(steps);
    const tryon = service.client({ fetch: program.network(service.fetch) });
    await pass(service, program, readAll(tryon, program.journal(kept, flush), killedBatch));
    if (program.isKilled) killed += 1;
    program.kill();
    await mock.clock.advance(later);
  }
  service.faults.length = 0;
  const program = new KillableProgram(Number.POSITIVE_INFINITY);
  const last = await pass(
    service,
    program,
    readAll(service.client(), program.journal(kept, flush), killedBatch),
  );
  // Pending requests arrive, and reads are consistent.
  await mock.clock.advance("5m");
  const jobs = (await pass(service, program, service.client().jobs.list().toArray())) ?? [];
  const charged = 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0);
  const counts = new Map<unknown, number>();
  for (const { data } of jobs) {
    const sku = data.metadata?.["sku"];
    counts.set(sku, (counts.get(sku) ?? 0) + 1);
  }
  const isInTime = later !== "2h";
  const unknown = last?.filter((code) => code === "outcome_unknown").length ?? 0;
  const checks: Readonly<Record<string, boolean>> = {
    "an end": last?.length === items,
    "one job of each at most": [...counts.values()].every((count) => count === 1),
    "one charge of each at most": charged === jobs.length * 8,
    "each done in time": !isInTime || last?.every((code) => code === "done") === true,
    "done or unknown":
      last?.every((code) => code === "done" || code === "outcome_unknown") === true,
    "each job handed out": (last?.filter((code) => code === "done").length ?? 0) <= jobs.length,
    "no secret": !/svc_live|result_url|shop\.example/.test(JSON.stringify([...kept.values()])),
  };
  return {
    violations: Object.keys(checks).filter((name) => checks[name] !== true),
    killed,
    unknown,
  };
}

/** Returns "done" or the error code of each item. */
async function readAll(
  tryon: TryOn,
  journal: Journal,
  { items, concurrency, sync, budgeted }: KilledBatch,
): Promise<readonly string[]> {
  const ends: string[] = [];
  const skus = Array.from({ length: items }, (_, index) => `sku-${index}`);
  try {
    for await (const { error } of batch(tryon, skus, {
      id: (sku) => sku,
      input: (sku) => ({ ...input, metadata: { sku } }),
      journal,
      concurrency,
      sync,
      timeout: "20m",
      budget: budgeted ? { maxCredits: items * 8 } : undefined,
    })) {
      ends.push(error === undefined ? "done" : isTryOnError(error) ? error.code : String(error));
    }
  } catch (error) {
    if (!(error instanceof BatchStoppedError)) throw error;
    ends.push(error.code);
  }
  return ends;
}

/** Program that is killed after a number of steps. Later steps have no effect. */
class KillableProgram {
  #steps: number;
  #loseLastEntry: (() => void) | undefined;

  constructor(steps: number) {
    this.#steps = steps;
  }

  get isKilled(): boolean {
    return this.#steps < 0;
  }

  /** Kills the program. */
  kill(): void {
    this.#steps = -1;
    this.#loseLastEntry?.();
  }

  async #step(): Promise<void> {
    this.#steps -= 1;
    if (this.isKilled) await new Promise<never>(() => undefined);
  }

  network(fetch: Fetch): Fetch {
    return async (url, init) => {
      await this.#step();
      const response = await fetch(url, init);
      await this.#step();
      return response;
    };
  }

  journal(kept: Map<string, JournalEntry>, flush: Flush): Journal {
    return {
      get: async (id) => {
        await this.#step();
        return kept.get(id);
      },
      list: () => kept.values(),
      put: async (entry) => {
        await this.#step();
        const before = kept.get(entry.id);
        kept.set(entry.id, structuredClone(entry));
        if (flush === "late") {
          this.#loseLastEntry = () => {
            if (before) kept.set(entry.id, before);
            else kept.delete(entry.id);
          };
        }
        await this.#step();
      },
    };
  }
}

/** Advances time until the work has ended or the program was killed. Pending requests continue. */
async function pass<Result>(
  { mock }: TestService,
  program: KillableProgram,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const state: { ended: boolean; result?: Result; error?: unknown } = { ended: false };
  const watch = async (): Promise<void> => {
    try {
      state.result = await work;
    } catch (error) {
      state.error = error;
    }
    state.ended = true;
  };
  void watch();
  for (let stride = 0; !state.ended && !program.isKilled; stride += 1) {
    if (stride > 2_000) throw new Error("The batch does not end.");
    await mock.clock.advance(stride < 2 ? "0s" : "2s");
  }
  if ("error" in state) throw state.error;
  return state.result;
}
