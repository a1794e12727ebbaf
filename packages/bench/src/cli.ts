import { availableParallelism, loadavg } from "node:os";

import { maxSpread, runBenchmark, unstableRatios } from "./benchmark.ts";
import type { Benchmark, Result } from "./benchmark.ts";
import type { Environment } from "./environment.ts";
import { renderPage, renderResult, type Files } from "./page.ts";

/** Everything around the command. */
export interface Context {
  readonly benchmarks: readonly Benchmark[];
  createEnvironment(): Promise<Environment>;
  readonly print: (text: string) => void;
  write(files: Files): Promise<void>;
}

/**
 * Runs `[name…] [--write]`: benchmarks by name or all of them, and writes the page on demand.
 *
 * @returns the exit code: 1 when a benchmark failed or the page was not written, 2 for unknown arguments.
 */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  const { benchmarks, print } = context;
  const known = benchmarks.map(({ name }) => name);
  const write = args.includes("--write");
  const names = args.filter((argument) => argument !== "--write");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    print(`There is no benchmark ${unknown}. Usage: [${known.join(" | ")}]… [--write]\n`);
    return 2;
  }
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  if (write && chosen.length < benchmarks.length) {
    print("--write needs every benchmark: run `npm run bench -- --write` without names.\n");
    return 1;
  }

  const before = printLoad("before", print);
  const results: Result[] = [];
  const environment = await context.createEnvironment();
  for (const benchmark of chosen) {
    try {
      const result = await runBenchmark(benchmark, environment);
      results.push(result);
      print(`${renderResult(result)}\n\n`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      print(`${benchmark.name} failed: ${message}\n\n`);
    }
    await environment.stopServers();
  }
  const after = printLoad("after", print);

  if (results.length < chosen.length) {
    if (write) print("Nothing was written, because not every benchmark ran.\n");
    return 1;
  }
  if (!write) return 0;
  const unstable = unstableRatios(results);
  if (unstable.length > 0) {
    const limit = `${maxSpread * 100} %`;
    const ratios = unstable.map((ratio) => `- ${ratio}\n`).join("");
    print(`Nothing was written: the quartiles of these ratios are more than ${limit} apart.
${ratios}Stop other work on this machine, wait until its load is low, and run again.\n`);
    return 1;
  }
  await context.write(renderPage(results, [before, after]));
  return 0;
}

function printLoad(time: "before" | "after", print: Context["print"]): number {
  const [load = 0] = loadavg();
  print(`Load average ${time} the run: ${load.toFixed(2)} on ${availableParallelism()} cores\n\n`);
  return load;
}
