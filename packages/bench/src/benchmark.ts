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
  const groups = Object.entries(benchmark.groups).map(([key, group]) => {
    return { ...group, key, samples: new Map<string, number[]>() };
  });
  for await (const sample of benchmark.measure(environment)) {
    for (const [key, values] of Object.entries(sample)) {
      const samples = groups.find((group) => group.key === key)?.samples;
      if (samples === undefined) throw new Error(`${benchmark.name} has no group ${key}.`);
      for (const [row, value] of Object.entries(values)) {
        if (!Number.isFinite(value)) throw new Error(`${benchmark.name}: ${row} is ${value}.`);
        samples.set(row, [...(samples.get(row) ?? []), value]);
      }
    }
  }
  const measured = groups.map(({ samples, ...group }) => {
    const rows = Array.from(samples, ([name, values]) => {
      return { name, ...summarize(mediansOfBlocks(values, benchmark.samplesPerRun)) };
    });
    const ofGroup = (benchmark.goals ?? []).filter((goal) => goal.group === group.key);
    const goals = ofGroup.map((goal) => {
      const measuredRow = rows.find(({ name }) => name === goal.row);
      if (!measuredRow) throw new Error(`${benchmark.name} measured no "${goal.row}".`);
      return { ...goal, median: measuredRow.median };
    });
    return { ...group, rows, goals };
  });
  return { ...benchmark, groups: measured };
}

/** Maximum distance between the quartiles of a ratio, relative to its median. */
export const maxSpread = 0.05;

/** Describes each ratio whose quartiles are too far apart for publication. */
export function unstableRatios(results: readonly Result[]): readonly string[] {
  const ratios = results.flatMap(({ name: benchmark, groups }) =>
    groups
      .filter(({ unit }) => unit === "×")
      .flatMap(({ title, rows }) => rows.map((row) => ({ benchmark, title, ...row }))),
  );
  return ratios
    .filter(({ q1, median, q3 }) => (q3 - q1) / median > maxSpread)
    .map(({ benchmark, title, name, ...row }) => {
      const [q1, median, q3] = [row.q1, row.median, row.q3].map((value) => value.toFixed(3));
      return `${benchmark}, ${title}, ${name}: quartiles ${q1} and ${q3}, median ${median}`;
    });
}
