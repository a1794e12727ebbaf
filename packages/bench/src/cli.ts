import { availableParallelism, loadavg, type } from "node:os";
import { parseArgs } from "node:util";

import { maxSpread, runBenchmark, unstableRatios } from "./benchmark.ts";
import type { Benchmark, Result } from "./benchmark.ts";
import type { Environment } from "./environment.ts";
import { renderPage, renderResult } from "./page.ts";

/** Everything around the command. */
export interface Context {
  readonly benchmarks: readonly Benchmark[];
  createEnvironment(): Promise<Environment>;
  readonly print: (text: string) => void;
  /** Writes the files of the page, by their paths below `docs`. */
  write(files: ReadonlyMap<string, string>): Promise<void>;
}

/**
 * Runs `[name…] [--write]`: benchmarks by name or all of them, and writes the page on demand.
 *
 * @returns the exit code: 1 when a benchmark failed or the page was not written, 2 for unknown arguments.
 */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  const { benchmarks, print } = context;
  const known = benchmarks.map(({ name }) => name);
  const parsed = parseArguments(args, known);
  if (typeof parsed === "string") {
    print(`${parsed}. Usage: [${known.join(" | ")}]… [--write]\n`);
    return 2;
  }
  const chosen = benchmarks.filter(({ name }) => parsed.names.includes(name));
  if (parsed.write && chosen.length < benchmarks.length) {
    print("--write needs every benchmark: run `npm run bench -- --write` without names.\n");
    return 1;
  }

  const before = printLoad("before", print);
  const results: Result[] = [];
  const environment = await context.createEnvironment();
  try {
    for (const benchmark of chosen) {
      try {
        const result = await runBenchmark(benchmark, environment);
        results.push(result);
        print(`${renderResult(result)}\n\n`);
      } catch (error) {
        print(
          `${benchmark.name} failed: ${error instanceof Error ? error.message : String(error)}\n\n`,
        );
      }
      await environment.stopServers();
    }
  } finally {
    await environment.close();
  }
  const after = printLoad("after", print);

  if (results.length < chosen.length) {
    if (parsed.write) print("Nothing was written, because not every benchmark ran.\n");
    return 1;
  }
  if (!parsed.write) return 0;
  const unstable = unstableRatios(results);
  if (unstable.length > 0) {
    const limit = `${maxSpread * 100} %`;
    print(`Nothing was written: the quartiles of these ratios are more than ${limit} apart.\n`);
    for (const ratio of unstable) print(`- ${ratio}\n`);
    print("Stop other work on this machine, wait until its load is low, and run again.\n");
    return 1;
  }
  const node = process.versions.node;
  const machine = { cores: availableParallelism(), node, system: type() };
  await context.write(renderPage(results, { ...machine, load: [before, after] }));
  return 0;
}

function parseArguments(args: readonly string[], known: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { write: { type: "boolean", default: false } },
      allowPositionals: true,
    });
    const unknown = positionals.find((name) => !known.includes(name));
    if (unknown !== undefined) return `There is no benchmark ${unknown}`;
    return { write: values.write, names: positionals.length === 0 ? known : positionals };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function printLoad(time: "before" | "after", print: Context["print"]): number {
  const [load = 0] = loadavg();
  print(`Load average ${time} the run: ${load.toFixed(2)} on ${availableParallelism()} cores\n\n`);
  return load;
}
