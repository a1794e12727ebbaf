import { availableParallelism, loadavg, type } from "node:os";

import { groupsOf, runBenchmark } from "./benchmark.ts";
import type { Environment } from "./environment.ts";
import { renderGoals, renderPages, renderTable, type Results, type Sources } from "./page.ts";
import { packages } from "./peers.ts";

export interface Context extends Sources {
  createEnvironment(): Promise<Environment>;
  readonly print: (text: string) => void;
  /** Results of the last runs that were written. */
  readonly results: Results;
  save(results: Results): Promise<void>;
  /** Writes the pages and the charts, which are files below `docs`. */
  write(files: ReadonlyMap<string, string>): Promise<void>;
}

/**
 * Runs `[name…] [--write]` or `--render`, and returns the exit code: 1 for a failure, 2 for unknown arguments. `--write` keeps the
 * results of other benchmarks.
 */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  const { benchmarks, print } = context;
  let { results } = context;
  if (args.join() === "--render") {
    await context.write(renderPages(context, results));
    return 0;
  }
  const known = benchmarks.map(({ name }) => name);
  const write = args.includes("--write");
  const names = args.filter((argument) => argument !== "--write");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const usage = `[${known.join(" | ")}]… [--write], or --render alone`;
    print(`Unknown benchmark: ${unknown}. Usage: ${usage}\n`);
    return 2;
  }
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  let hasFailed = false;
  const report = (problem: string): void => {
    hasFailed = true;
    print(`${problem}\n\n`);
  };
  const environment = await context.createEnvironment();
  for (const benchmark of chosen) {
    const { name } = benchmark;
    const [loadBefore = 0] = loadavg();
    try {
      const measured = await runBenchmark(benchmark, environment);
      const groups = groupsOf(benchmark, measured);
      const goals = renderGoals(context.goals, groups).join("\n");
      print(`${[`## ${benchmark.title}`, ...groups.map(renderTable), goals].join("\n\n")}\n\n`);
      const [loadAfter = 0] = loadavg();
      const load = [loadBefore, loadAfter].map((it) => Number(it.toFixed(2)));
      print(`Load average: ${load.join(" before and ")} after it\n\n`);
      if (write) {
        const machine = { cores: availableParallelism(), system: type() };
        const loads = { ...results.loads, [name]: load };
        const figures = { ...results.figures, [name]: measured };
        results = { ...machine, node: process.versions.node, packages, loads, figures };
        // At once, so that no later failure loses it.
        await context.save(results);
      }
    } catch (error) {
      report(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    for (const failure of environment.takeFailures()) report(`${name}: a run failed: ${failure}`);
    await environment.stopServers();
  }
  if (write) await context.write(renderPages(context, results));
  return hasFailed ? 1 : 0;
}
