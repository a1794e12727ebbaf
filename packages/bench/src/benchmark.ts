import type { Environment } from "./environment.ts";
import { mediansOfBlocks, summarize, type Sample } from "./statistics.ts";

interface Group {
  readonly title: string;
  /** Unit of the figures; those in `×` are ratios. */
  readonly unit: string;
  /** If true, the page has a chart of the group. */
  readonly chart?: boolean;
}

/** Bound for the median of a row. */
interface Goal {
  readonly group: string;
  readonly row: string;
  readonly max?: number;
  readonly min?: number;
  /** Reason why the goal is out of reach; the page has it where the goal is missed. */
  readonly reason?: string;
}

export interface Benchmark {
  /** Name on the command line. */
  readonly name: string;
  readonly title: string;
  /** Method, in one or two sentences. */
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

/**
 * Runs a benchmark and summarizes its samples by group and row.
 *
 * @throws Error when a goal has no row, a sample has no group, or a figure is not finite.
 */
export async function runBenchmark(benchmark: Benchmark, environment: Environment) {
  const { name, goals = [], samplesPerRun } = benchmark;
  const samples: Record<string, Record<string, number[]>> = {};
  for (const key of Object.keys(benchmark.groups)) samples[key] = {};
  for await (const sample of benchmark.measure(environment)) {
    for (const [group, values] of Object.entries(sample)) {
      const rows = samples[group];
      if (rows === undefined) throw new Error(`${name} has no group ${group}.`);
      for (const [row, value] of Object.entries(values)) {
        if (!Number.isFinite(value)) throw new Error(`${name}: ${row} is ${value}.`);
        (rows[row] ??= []).push(value);
      }
    }
  }
  const groups = Object.entries(benchmark.groups).map(([key, group]) => {
    const rows = Object.entries(samples[key] ?? {}).map(([row, values]) => {
      return { name: row, ...summarize(mediansOfBlocks(values, samplesPerRun)) };
    });
    const measuredGoals = goals
      .filter((goal) => goal.group === key)
      .map((goal) => {
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
  return results.flatMap(({ name, groups }) => {
    const ratios = groups.filter(({ unit }) => unit === "×");
    return ratios.flatMap(({ title, rows }) => {
      const unstable = rows.filter(({ q1, median, q3 }) => (q3 - q1) / median > maxSpread);
      return unstable.map((row) => {
        const [q1, median, q3] = [row.q1, row.median, row.q3].map((value) => value.toFixed(3));
        return `${name}, ${title}, ${row.name}: quartiles ${q1} and ${q3}, median ${median}`;
      });
    });
  });
}
