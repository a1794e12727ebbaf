import { availableParallelism, loadavg } from "node:os";

import { runBenchmark, unstableRatios, type Benchmark, type Result } from "./benchmark.ts";
import type { Environment } from "./environment.ts";
import { renderPage, renderResult } from "./page.ts";

export interface Context {
  readonly benchmarks: readonly Benchmark[];
  createEnvironment(): Promise<Environment>;
  readonly print: (text: string) => void;
  write(files: ReadonlyMap<string, string>): Promise<void>;
}

/** Runs `[name…] [--write]` and returns the exit code: 1 for a failure or an unwritten page, 2 for unknown arguments. */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  const { benchmarks, print } = context;
  const known = benchmarks.map(({ name }) => name);
  const write = args.includes("--write");
  const names = args.filter((argument) => argument !== "--write");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    print(`Unknown benchmark: ${unknown}. Usage: [${known.join(" | ")}]… [--write]\n`);
    return 2;
  }
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  if (write && chosen.length < benchmarks.length) {
    print("--write needs every benchmark: run `npm run bench -- --write` without names.\n");
    return 1;
  }

  const before = printLoad("before", print);
  const results: Result[] = [];
  const problems: string[] = [];
  const environment = await context.createEnvironment();
  for (const benchmark of chosen) {
    try {
      const result = await runBenchmark(benchmark, environment);
      results.push(result);
      print(`${renderResult(result)}\n\n`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push(`${benchmark.name} failed: ${message}`);
      print(`${problems.at(-1)}\n\n`);
    }
    await environment.stopServers();
  }
  const after = printLoad("after", print);
  if (write) problems.push(...unstableRatios(results));
  if (write && problems.length > 0) {
    const advice = "For stable ratios, stop other work on this machine until its load is low.";
    print(`Nothing was written:\n- ${problems.join("\n- ")}\n${advice}\n`);
  } else if (write) await context.write(renderPage(results, [before, after]));
  return problems.length === 0 ? 0 : 1;
}

function printLoad(time: "before" | "after", print: Context["print"]): number {
  const [load = 0] = loadavg();
  print(`Load average ${time} the run: ${load.toFixed(2)} on ${availableParallelism()} cores\n\n`);
  return load;
}
