import type { Environment } from "./environment.ts";
import { mediansOfBlocks, summarize, type Sample } from "./statistics.ts";

interface Group {
  readonly title: string;
  /** Unit of the figures; those in `×` are ratios. */
  readonly unit: string;
  readonly chart?: boolean;
}

interface Goal {
  readonly group: string;
  readonly row: string;
  readonly max?: number;
  readonly min?: number;
  /** Reason why the goal is out of reach; the page has it where the goal is missed. */
  readonly reason?: string;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  readonly method: string;
  readonly groups: Readonly<Record<string, Group>>;
  readonly goals?: readonly Goal[];
  /** Samples of which the median is one run. @default 1 */
  readonly samplesPerRun?: number;
  /** Yields samples, of which each may have some of the groups and rows. */
  measure(environment: Environment): AsyncIterable<Sample>;
}

export type Result = Awaited<ReturnType<typeof runBenchmark>>;
export type MeasuredGroup = Result["groups"][number];

/** Runs a benchmark and summarizes its samples by group and row. */
export async function runBenchmark(benchmark: Benchmark, environment: Environment) {
  const { name, goals = [], samplesPerRun } = benchmark;
  const samples: Record<string, Record<string, number[]>> = {};
  for await (const sample of benchmark.measure(environment)) {
    for (const [group, values] of Object.entries(sample)) {
      if (!(group in benchmark.groups)) throw new Error(`${name} has no group ${group}.`);
      for (const [row, value] of Object.entries(values)) {
        if (!Number.isFinite(value)) throw new Error(`${name}: ${row} is ${value}.`);
        ((samples[group] ??= {})[row] ??= []).push(value);
      }
    }
  }
  const groups = Object.entries(benchmark.groups).map(([key, group]) => {
    const rows = Object.entries(samples[key] ?? {}).map(([row, values]) => {
      return { name: row, ...summarize(mediansOfBlocks(values, samplesPerRun)) };
    });
    const ofGroup = goals.filter((goal) => goal.group === key);
    const measuredGoals = ofGroup.map((goal) => {
      const row = rows.find((it) => it.name === goal.row);
      if (row === undefined) throw new Error(`${name} measured no "${goal.row}".`);
      return { ...goal, median: row.median };
    });
    return { ...group, key, rows, goals: measuredGoals };
  });
  return { ...benchmark, groups };
}

/** Maximum distance between the quartiles of a ratio, relative to its median. */
export const maxSpread = 0.05;

/** Describes each ratio whose quartiles are too far apart for publication. */
export function unstableRatios(results: readonly Result[]): readonly string[] {
  const unstable: string[] = [];
  for (const { name, groups } of results)
    for (const { title, unit, rows } of groups)
      for (const row of rows.filter(({ spread }) => unit === "×" && spread > maxSpread)) {
        const spread = `${(row.spread * 100).toFixed(1)} % apart, more than ${maxSpread * 100} %`;
        unstable.push(`${name}, ${title}, ${row.name}: quartiles ${spread}`);
      }
  return unstable;
}
