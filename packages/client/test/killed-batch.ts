import { array, boolean, constantFrom, integer, record } from "fast-check";

import { batch, type Journal, type JournalEntry } from "../src/batch/index.ts";
import { Budget, isTryOnError, type TryOn } from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import { anyOptions, networkFaultNames, networkFaults, type ValueOf } from "./fault-scenario.ts";
import { makeDigestsInstant } from "./instant-digests.ts";
import { upTo } from "./memory-journal.ts";
import { input, openService, trackEnd, type TestService } from "./service.ts";

/** Batches that are killed once or twice and run again, with network faults before that. */
export const killedBatches = record({
  options: anyOptions,
  faults: array(constantFrom(undefined, undefined, ...networkFaultNames), { maxLength: 6 }),
  items: integer({ min: 1, max: 4 }),
  concurrency: integer({ min: 1, max: 4 }),
  sync: constantFrom<boolean | "auto">(true, false, "auto"),
  // Number of jobs that fail, each of which gets another attempt.
  failures: constantFrom(0, 0, 1, 2),
  // If true, the batch has a budget that all of its items fill.
  budgeted: boolean(),
  // Number of journal and network steps of each killed run. The last run is not killed.
  kills: array(integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 2 }),
  // Time between a kill and the next run.
  later: constantFrom("0s", "10m", "2h"),
  latency: constantFrom("0.1s", "3s", "40s"),
});
type KilledBatch = ValueOf<typeof killedBatches>;

/** Flush behavior of the journal. `late` loses the last entry if the program is killed. */
type Flush = "each" | "late";

/** Runs a killed batch until it ends, and reports broken promises. */
export async function runKilled(killedBatch: KilledBatch, flush: Flush = "each") {
  makeDigestsInstant();
  const { latency, options } = killedBatch;
  const service = openService({ profile: "default", options, latency, journalLimit: 1 }, {}, true);
  try {
    return await runKilledIn(service, killedBatch, flush);
  } finally {
    service.close();
  }
}

async function runKilledIn(service: TestService, killedBatch: KilledBatch, flush: Flush) {
  const { mock } = service;
  const { kills, later, items, failures } = killedBatch;
  for (let left = failures; left > 0; left -= 1) mock.nextJob({ outcome: "failed" });
  const kept = new Map<string, JournalEntry>();
  const faults = killedBatch.faults.map((name) => name && networkFaults[name]);
  service.faults.push(...faults);
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
  const journal = program.journal(kept, flush);
  const budget = new Budget({ maxCredits: (items + failures) * 8 });
  const reading = readAll(service.client(), journal, killedBatch, budget);
  const last = (await pass(service, program, reading)) ?? [];
  // Pending requests arrive, and reads are consistent.
  await mock.clock.advance("5m");
  const jobs = (await pass(service, program, service.client().jobs.list().toArray())) ?? [];
  const charged = 1_000 - ((await service.balance()) ?? 0);
  const jobsOf = (id: string) => jobs.filter(({ data }) => data.metadata?.["sku"] === id);
  const done = last.filter(({ code }) => code === "done").length;
  const unknown = last.filter(({ code }) => code === "outcome_unknown").length;
  const checks: Readonly<Record<string, boolean>> = {
    "an end": last.length === items,
    "one job of each attempt at most": last.every(
      ({ id, code, attempts }) => jobsOf(id).length <= attempts + (code === "done" ? 0 : 1),
    ),
    "one success of each at most": last.every(
      ({ id }) => jobsOf(id).filter(({ status }) => status !== "failed").length <= 1,
    ),
    // The service can refund failed jobs.
    "one charge of each job at most":
      charged <= jobs.length * 8 && (failures > 0 || charged === jobs.length * 8),
    "the charges in the budget":
      !killedBatch.budgeted ||
      ((failures > 0 || budget.spent <= charged) &&
        charged <= budget.spent + budget.reserved &&
        (done < items || budget.spent === jobs.length * 8)),
    "each done in time": later === "2h" || done === items,
    "done or unknown": done + unknown === items,
    "each job returned": done <= jobs.length,
    "no secret": !/svc_live|result_url|shop\.example/.test(JSON.stringify([...kept.values()])),
  };
  const violations = Object.keys(checks).filter((name) => checks[name] !== true);
  return { violations, killed, unknown };
}

/** Returns each item with "done" or its error code. */
async function readAll(
  tryon: TryOn,
  journal: Journal,
  { items, concurrency, sync, budgeted, failures }: KilledBatch,
  budget = new Budget({ maxCredits: (items + failures) * 8 }),
) {
  const skus = Array.from({ length: items }, (_, index) => `sku-${index}`);
  const running = batch(tryon, skus, {
    id: (sku) => sku,
    input: (sku) => ({ ...input, metadata: { sku } }),
    journal,
    concurrency,
    sync,
    retryFailed: { maxAttempts: 3 },
    timeout: "20m",
    budget: budgeted ? budget : undefined,
  });
  const { read, error: stopped } = await upTo(running);
  const ended = [
    ...read,
    ...(stopped === undefined ? [] : [{ id: "", error: stopped, attempts: 0 }]),
  ];
  return ended.map(({ id, error, attempts }) => ({
    id,
    attempts,
    code: error === undefined ? "done" : isTryOnError(error) ? error.code : "another error",
  }));
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
  const hasEnded = trackEnd(work);
  for (let step = 0; !hasEnded() && !program.isKilled; step += 1) {
    if (step > 2_000) throw new Error("The batch does not end.");
    await mock.clock.advance(step < 2 ? "0s" : "2s");
  }
  return hasEnded() ? work : undefined;
}
