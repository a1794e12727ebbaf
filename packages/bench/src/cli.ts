import { availableParallelism, loadavg, type } from "node:os";

import { groupsOf, maxSpread, runBenchmark, unstableRatios, type Figures } from "./benchmark.ts";
import type { Environment } from "./environment.ts";
import { renderGoals, renderPages, renderTable, type Results, type Sources } from "./page.ts";
import { packages } from "./peers.ts";

export interface Context extends Sources {
  createEnvironment(): Promise<Environment>;
  readonly print: (text: string) => void;
  /** Results of the last run that was written. */
  readonly results: Results;
  /** Writes files below `docs`, and the results if they are new. */
  write(files: ReadonlyMap<string, string>, results?: Results): Promise<void>;
}

/** Runs `[name…] [--write]` or `--render`, and returns the exit code: 1 for a failure or unwritten pages, 2 for unknown arguments. */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  const { benchmarks, print } = context;
  if (args.join() === "--render") {
    await context.write(renderPages(context, context.results));
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
  if (write && chosen.length < benchmarks.length) {
    print("--write needs every benchmark: run `npm run bench -- --write` without names.\n");
    return 1;
  }

  const [loadBefore = 0] = loadavg();
  const figures: Record<string, Figures> = {};
  const problems: string[] = [];
  const environment = await context.createEnvironment();
  for (const benchmark of chosen) {
    try {
      const measured = await runBenchmark(benchmark, environment);
      const groups = groupsOf(benchmark, measured);
      const goals = renderGoals(context.goals, groups).join("\n");
      print(`${[`## ${benchmark.title}`, ...groups.map(renderTable), goals].join("\n\n")}\n\n`);
      figures[benchmark.name] = measured;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push(`${benchmark.name} failed: ${message}`);
      print(`${problems.at(-1)}\n\n`);
    }
    await environment.stopServers();
  }
  const [loadAfter = 0] = loadavg();
  print(
    `Load average: ${loadBefore.toFixed(2)} before and ${loadAfter.toFixed(2)} after the run\n\n`,
  );
  const measured = chosen.flatMap((it) => groupsOf(it, figures[it.name]));
  for (const { name, spread } of write ? unstableRatios(measured) : [])
    problems.push(
      `${name}: quartiles ${(spread * 100).toFixed(1)} % apart, more than ${maxSpread * 100} %`,
    );
  if (write && problems.length > 0) {
    const advice = "For stable ratios, stop other work on this machine until its load is low.";
    print(`Nothing was written:\n- ${problems.join("\n- ")}\n${advice}\n`);
  } else if (write) {
    const machine = { cores: availableParallelism(), system: type(), node: process.versions.node };
    const results = { ...machine, loadBefore, loadAfter, packages, figures };
    await context.write(renderPages(context, results), results);
  }
  return problems.length === 0 ? 0 : 1;
}
