import type { Environment } from "./environment.ts";
import { summarize, type Sample, type Summary } from "./statistics.ts";

/** Bound for the median of a row. */
interface Goal {
  readonly max?: number;
  readonly min?: number;
  /** Reason why the goal is out of reach; the page has it where the goal is missed. */
  readonly reason?: string;
}

interface GroupOptions {
  readonly title: string;
  /** Unit of the figures; those in `×` are ratios. */
  readonly unit: string;
  /** Goals by row name. */
  readonly goals?: Readonly<Record<string, Goal>>;
  /** If true, the page has a chart of the group. */
  readonly chart?: boolean;
}

export interface Benchmark {
  /** Name on the command line. */
  readonly name: string;
  readonly title: string;
  /** Method, in one or two sentences. */
  readonly method: string;
  readonly groups: Readonly<Record<string, GroupOptions>>;
  /** Yields samples, of which each may have some of the groups and rows. */
  measure(environment: Environment): AsyncIterable<Sample>;
}

export interface Row extends Summary {
  readonly name: string;
  readonly goal: Goal | undefined;
}

export interface Group extends GroupOptions {
  readonly key: string;
  readonly rows: readonly Row[];
}

export interface Result {
  readonly benchmark: Benchmark;
  readonly groups: readonly Group[];
}

/**
 * Runs a benchmark and summarizes its samples by group and row.
 *
 * @throws Error when a goal has no row, a sample has no group, or a figure is not finite.
 */
export async function runBenchmark(
  benchmark: Benchmark,
  environment: Environment,
): Promise<Result> {
  const samples = Object.fromEntries(
    Object.keys(benchmark.groups).map((key) => [key, new Map<string, number[]>()]),
  );
  for await (const sample of benchmark.measure(environment)) {
    for (const [key, values] of Object.entries(sample)) {
      const rows = samples[key];
      if (rows === undefined) throw new Error(`${benchmark.name} has no group ${key}.`);
      for (const [row, value] of Object.entries(values)) {
        if (!Number.isFinite(value)) throw new Error(`${benchmark.name}: ${row} is ${value}.`);
        rows.set(row, [...(rows.get(row) ?? []), value]);
      }
    }
  }
  const groups = Object.entries(benchmark.groups).map(([key, group]) => {
    const { goals = {} } = group;
    const rows = Array.from(samples[key] ?? [], ([name, values]) => {
      return { name, goal: goals[name], ...summarize(values) };
    });
    const missing = Object.keys(goals).find((goal) => !rows.some(({ name }) => name === goal));
    if (missing !== undefined) throw new Error(`${benchmark.name} measured no "${missing}".`);
    return { ...group, key, rows };
  });
  return { benchmark, groups };
}

/** Maximum distance between the quartiles of a ratio, relative to its median. */
export const maxSpread = 0.05;

/** Describes each ratio whose quartiles are too far apart for publication. */
export function unstableRatios(results: readonly Result[]): readonly string[] {
  const groups = results.flatMap(({ benchmark, groups: ofBenchmark }) =>
    ofBenchmark.map((group) => ({ ...group, title: `${benchmark.name}, ${group.title}` })),
  );
  return groups
    .filter(({ unit }) => unit === "×")
    .flatMap(({ title, rows }) => rows.map((row) => ({ ...row, name: `${title}, ${row.name}` })))
    .filter(({ q1, median, q3 }) => (q3 - q1) / median > maxSpread)
    .map(({ name, ...row }) => {
      const [q1, median, q3] = [row.q1, row.median, row.q3].map((value) => value.toFixed(3));
      return `${name}: quartiles ${q1} and ${q3}, median ${median}`;
    });
}
