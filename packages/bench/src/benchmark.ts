import type { Environment } from "./environment.ts";
import { summarize, type Sample } from "./statistics.ts";

type Unit =
  | "×"
  | "bytes"
  | "calls/s"
  | "ms"
  | "ns"
  | "requests"
  | "responses"
  | "s"
  | "standard errors"
  | "µs";

/** Bound for the median of a row. */
interface Goal {
  readonly max?: number;
  readonly min?: number;
  /** Reason why the goal is out of reach; the page has it where the goal is missed. */
  readonly reason?: string;
}

interface GroupOptions {
  readonly title: string;
  readonly unit: Unit;
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
  /** Yields one sample per round. */
  measure(environment: Environment): AsyncIterable<Sample>;
}

export interface Row {
  readonly name: string;
  readonly samples: number[];
  readonly goal: Goal | undefined;
}

export interface Group extends GroupOptions {
  readonly rows: readonly Row[];
}

export interface Result {
  readonly benchmark: Benchmark;
  readonly groups: readonly Group[];
}

/**
 * Runs a benchmark and collects its samples by group and row.
 *
 * @throws Error when a goal has no row, or a sample has no group.
 */
export async function runBenchmark(
  benchmark: Benchmark,
  environment: Environment,
): Promise<Result> {
  const names = Object.keys(benchmark.groups);
  const rows = new Map(names.map((name) => [name, new Map<string, number[]>()]));
  for await (const sample of benchmark.measure(environment)) {
    for (const [group, values] of Object.entries(sample)) {
      const samplesByRow = rows.get(group);
      if (samplesByRow === undefined) throw new Error(`${benchmark.name} has no group ${group}.`);
      for (const [row, value] of Object.entries(values)) {
        samplesByRow.set(row, [...(samplesByRow.get(row) ?? []), value]);
      }
    }
  }
  const groups = Object.entries(benchmark.groups).map(([key, options]) => {
    const samplesByRow = rows.get(key) ?? new Map<string, number[]>();
    const missing = Object.keys(options.goals ?? {}).find((row) => !samplesByRow.has(row));
    if (missing !== undefined) throw new Error(`${benchmark.name} measured no "${missing}".`);
    return {
      ...options,
      rows: Array.from(samplesByRow, ([name, samples]) => {
        return { name, samples, goal: options.goals?.[name] };
      }),
    };
  });
  return { benchmark, groups };
}

/** Maximum distance between the quartiles of a ratio, relative to its median. */
export const maxSpread = 0.05;

/** Describes each ratio whose quartiles are too far apart for publication. */
export function unstableRatios(results: readonly Result[]): readonly string[] {
  return results.flatMap(({ benchmark, groups }) =>
    groups
      .filter(({ unit }) => unit === "×")
      .flatMap(({ title, rows }) =>
        rows.flatMap(({ name, samples }) => {
          const { q1, median, q3 } = summarize(samples);
          if ((q3 - q1) / median <= maxSpread) return [];
          const figures = `quartiles ${q1.toFixed(3)} and ${q3.toFixed(3)}, median ${median.toFixed(3)}`;
          return [`${benchmark.name}, ${title}, ${name}: ${figures}`];
        }),
      ),
  );
}
