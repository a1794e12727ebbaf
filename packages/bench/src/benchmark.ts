import type { Environment } from "./environment.ts";
import { mediansOfBlocks, summarize, type Sample, type Summary } from "./statistics.ts";

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** Titles with the unit of the figures in parentheses; those in `×` are ratios. */
  readonly groups: Readonly<Record<string, string>>;
  /** Samples of which the median is one run. @default 1 */
  readonly samplesPerRun?: number;
  /** Yields samples, of which each may have some of the groups and rows. */
  measure(environment: Environment): AsyncIterable<Sample>;
}

/** Medians and quartiles of a benchmark by group and row. */
export type Figures = Readonly<Record<string, Readonly<Record<string, Summary>>>>;
export type Group = ReturnType<typeof groupsOf>[number];

/** Runs a benchmark and summarizes its samples by group and row. */
export async function runBenchmark(it: Benchmark, environment: Environment): Promise<Figures> {
  const samples: Record<string, Record<string, number[]>> = {};
  for await (const sample of it.measure(environment)) {
    for (const [group, values] of Object.entries(sample)) {
      if (!(group in it.groups)) throw new Error(`${it.name} has no group ${group}.`);
      for (const [row, value] of Object.entries(values)) {
        if (!Number.isFinite(value)) throw new Error(`${it.name}: ${row} is ${value}.`);
        ((samples[group] ??= {})[row] ??= []).push(value);
      }
    }
  }
  const figures: Record<string, Record<string, Summary>> = {};
  for (const [group, rows] of Object.entries(samples))
    for (const [row, values] of Object.entries(rows))
      (figures[group] ??= {})[row] = summarize(mediansOfBlocks(values, it.samplesPerRun));
  return figures;
}

export function groupsOf({ name, title, groups }: Benchmark, figures: Figures = {}) {
  return Object.entries(groups).map(([key, heading]) => {
    const [, label = "", unit = ""] = /^(.+?)(?: \(([^()]+)\))?$/.exec(heading) ?? [];
    const rows = Object.entries(figures[key] ?? {}).map(([row, it]) => ({ name: row, ...it }));
    const medianOf = (row: string): number => {
      const { median } = figures[key]?.[row] ?? {};
      if (median === undefined) throw new Error(`${name} measured no "${row}".`);
      return median;
    };
    const titles = { title: `${title}: ${label}`, heading, unit };
    return { key: `${name}.${key}`, ...titles, rows, medianOf };
  });
}

/** Distance between the quartiles of a ratio, relative to its median, above which it is called unstable. */
const maxSpread = 0.05;

/** Lists the ratios whose quartiles are far apart. */
export function unstableRatios(groups: readonly Group[]) {
  const ratios = groups.filter(({ unit }) => unit === "×");
  const spreads = ratios.flatMap(({ title, rows }) =>
    rows.map((row) => ({ name: `${title}, ${row.name}`, spread: (row.q3 - row.q1) / row.median })),
  );
  return spreads.filter(({ spread }) => spread > maxSpread);
}
