import { join } from "node:path";

import { startPostgres, startRedis, startSqlite } from "@tryon/test-kit/store-servers";

import type { Benchmark } from "../benchmark.ts";
import type { Environment } from "../environment.ts";
import type { Sample } from "../statistics.ts";

const stores = [
  { store: "postgres", title: "PostgreSQL", start: startPostgres },
  { store: "redis", title: "Redis", start: startRedis },
  { store: "sqlite", title: "SQLite", start: startSqlite },
] as const;
const bullmq = "BullMQ, add and process";
const inMemory = ["without a journal", "p-queue, add and fetch"] as const;
const resumes = [
  ["Without a budget", "resume"],
  ["With a budget, which counts all entries", "resume-with-budget"],
] as const;

/** Figures of one process. */
interface Result extends Readonly<
  Record<"own" | "startedAt" | "endedAt" | "cpu" | "statements", number>
> {
  /** Longest block of the event loop in milliseconds, and growth of the memory in bytes, of a clean-up. */
  readonly block?: number;
  readonly memory?: number;
}

let runs = 0;

/** Runs processes that start at the same time. */
async function runProcesses(
  environment: Environment,
  number: number,
  [kind, store, storeUrl, serviceUrl]: readonly [string, string, string, string],
  count: number,
): Promise<readonly Result[]> {
  const name = `bench-${(runs += 1)}`;
  // The processes need some time to open the store.
  const startAt = String(Date.now() + 3_000);
  const args = [kind, store];
  const samples = await Promise.all(
    Array.from({ length: number }, () =>
      environment.run("shared-store.mjs", ...args, storeUrl, serviceUrl, name, `${count}`, startAt),
    ),
  );
  // The program prints these figures.
  return samples.map(({ result }) => result as unknown as Result);
}

const sumOf = (results: readonly Result[], field: "cpu" | "own" | "statements"): number =>
  results.reduce((sum, result) => sum + result[field], 0);

/** Returns the items per second of processes together. */
function rateOf(results: readonly Result[]): number {
  const starts = results.map(({ startedAt }) => startedAt);
  const ends = results.map(({ endedAt }) => endedAt);
  return (1_000 * sumOf(results, "own")) / (Math.max(...ends) - Math.min(...starts));
}

/** Continues a batch whose items have ended. */
async function* measureRestart(
  environment: Environment,
  title: string,
  target: Parameters<typeof runProcesses>[2],
): AsyncGenerator<Sample> {
  const count = 20_000;
  const results = await runProcesses(environment, 1, target, count);
  yield {
    restart: { [title]: sumOf(results, "cpu") / count },
    restartStatements: { [title]: sumOf(results, "statements") / count },
  };
}

/** Deletes events that have expired. */
async function* measureCleanup(
  environment: Environment,
  title: string,
  store: string,
  url: string,
): AsyncGenerator<Sample> {
  const count = 1_000_000;
  const [result] = await runProcesses(environment, 1, ["cleanup", store, url, ""], count);
  if (result?.own !== count) throw new Error(`${title} deleted ${result?.own} events.`);
  const { block = Number.NaN, memory = Number.NaN, cpu } = result;
  yield {
    cleanupBlock: { [title]: block },
    cleanupMemory: { [title]: memory / 1e6 },
    cleanupCpu: { [title]: cpu / count },
  };
}

export const sharedStore: Benchmark = {
  name: "shared",
  title: "Batches that share a journal",
  groups: {
    rate: "Throughput, jobs of 50 ms, 4 at once in each process (items/s)",
    ratio: "Throughput ratio to one process (×)",
    evenness: "Largest difference of a process from its share (%)",
    statements: "Statements per item",
    cpu: "CPU time of a process per item, journal or queue only, no request (µs)",
    cpuRatio: "CPU time of a process per item, journal or queue only, no request (×)",
    time: "Time per item, journal only, 4 at once (ms)",
    wholeCpu: "CPU time of a process per item, with its request (µs)",
    wholeCpuRatio: "CPU time of a process per item, with its request (×)",
    restart: "CPU time to continue a batch over 20,000 ended items, per item (µs)",
    restartStatements: "Statements per ended item of a continued batch",
    cleanupBlock: "Longest block of the event loop while 1,000,000 expired events are deleted (ms)",
    cleanupMemory: "Memory while 1,000,000 expired events are deleted (MB)",
    cleanupCpu: "CPU time to delete an expired event (µs)",
    resume: "CPU time to continue a file journal of 1,000,000 items (s)",
  },
  async *measure(environment) {
    const journal = join(environment.folder, "million.ndjson");
    await environment.node("resume.mjs", "write", journal, "1000000");
    for (let round = 0; round < 3; round += 1)
      for (const [row, kind] of resumes)
        yield await environment.run("resume.mjs", kind, journal, row);
    for (let round = 0; round < 3; round += 1)
      yield* measureRestart(environment, "a file", ["restart", "file", "", ""]);
    const serviceUrl = await environment.serve(["servers.mjs", "slow"]);
    for (let round = 0; round < 3; round += 1) {
      const [own = 0, peer = 0] = [
        await runProcesses(environment, 1, ["batch", "memory", "", serviceUrl], 400),
        await runProcesses(environment, 1, ["p-queue-fetch", "memory", "", serviceUrl], 400),
      ].map((results) => sumOf(results, "cpu") / 400);
      yield {
        wholeCpu: { [inMemory[0]]: own, [inMemory[1]]: peer },
        wholeCpuRatio: { [inMemory.join(" / ")]: own / peer },
      };
    }
    for (const { store, title, start } of stores) {
      const server = await start();
      try {
        for (let round = 0; round < 3; round += 1) {
          yield* measureRestart(environment, title, ["restart", store, server.url, serviceUrl]);
          // It takes minutes.
          if (round === 0 && store !== "redis")
            yield* measureCleanup(environment, title, store, server.url);
          const target = ["batch", store, server.url, serviceUrl] as const;
          const one = await runProcesses(environment, 1, target, 400);
          const single = rateOf(one);
          yield { rate: { [`${title}, 1 process`]: single } };
          yield { statements: { [`${title}, 1 process`]: sumOf(one, "statements") / 400 } };
          for (const number of [2, 4]) {
            const count = 400 * number;
            const results = await runProcesses(environment, number, target, count);
            const row = `${title}, ${number} processes`;
            const distances = results.map(({ own }) => Math.abs(own - 400) / 4);
            yield {
              rate: { [row]: rateOf(results) },
              ratio: { [row]: rateOf(results) / single },
              evenness: { [row]: Math.max(...distances) },
              statements: { [row]: sumOf(results, "statements") / count },
            };
          }
          const alone = ["journal", store, server.url, serviceUrl] as const;
          const written = await runProcesses(environment, 1, alone, 3_000);
          const cpu = sumOf(written, "cpu") / 3_000;
          const whole = sumOf(one, "cpu") / 400;
          yield {
            cpu: { [title]: cpu },
            time: { [title]: 1_000 / rateOf(written) },
            wholeCpu: { [title]: whole },
          };
          if (store !== "redis") continue;
          const queue = ["bullmq", store, server.url, serviceUrl] as const;
          const peer = sumOf(await runProcesses(environment, 1, queue, 3_000), "cpu") / 3_000;
          yield { cpu: { [bullmq]: peer }, cpuRatio: { [`${title} / ${bullmq}`]: cpu / peer } };
          const fetching = ["bullmq-fetch", store, server.url, serviceUrl] as const;
          const wholePeer = sumOf(await runProcesses(environment, 1, fetching, 400), "cpu") / 400;
          yield {
            wholeCpu: { [bullmq]: wholePeer },
            wholeCpuRatio: { [`${title} / ${bullmq}`]: whole / wholePeer },
          };
        }
      } finally {
        await server.remove();
      }
    }
  },
};
