import { groupsOf, unstableRatios, type Benchmark, type Figures, type Group } from "./benchmark.ts";
import { describeChart, formatNumber, isOwnPackage, renderChart } from "./chart.ts";

/** Machine, versions and figures of the last run of each benchmark, as stored in results.json. */
export interface Results {
  readonly cores: number;
  readonly system: string;
  readonly node: string;
  readonly packages: readonly string[];
  /** Load averages before and after each benchmark. */
  readonly loads: Readonly<Record<string, readonly number[]>>;
  /** Figures by the name of the benchmark. */
  readonly figures: Readonly<Record<string, Figures>>;
}

interface Goal extends Readonly<Record<"group" | "row", string>> {
  readonly min?: number;
  readonly max?: number;
  /** Reason why the goal is out of reach; the page has it where the goal is missed. */
  readonly reason?: string;
}

export interface Sources {
  readonly benchmarks: readonly Benchmark[];
  readonly goals: readonly Goal[];
  /** Pages to fill, by their paths below `docs`. */
  readonly pages: ReadonlyMap<string, string>;
}

const notice =
  "<!-- Made from packages/bench/pages by `npm run bench -- --render`. Changes made here are lost. -->";
const field = /\[\[(?:(chart|table) )?([\w.]+)(?: without (\w+)|: (.+?))?\]\]/g;

/**
 * Fills the fields of pages with results, and adds charts. `[[upload.time: row]]` is a median,
 * `[[upload.time: others]]` the range of the peers, and `[[table upload.time]]` a table. `[[chart upload.time without word]]`
 * is a table and a chart without the rows that have the word. `[[node]]` is a property of the results.
 */
export function renderPages({ benchmarks, goals, pages }: Sources, results: Results) {
  const all = benchmarks.flatMap((it) => groupsOf(it, results.figures[it.name]));
  // A new group has no results before the next run that is written.
  const groups = all.filter(({ rows }) => rows.length > 0);
  const spreads = unstableRatios(groups).map(({ spread }) => spread);
  const lines = renderGoals(goals, groups);
  const texts: Readonly<Record<string, unknown>> = {
    ...results,
    load: renderLoads(Object.values(results.loads)),
    packages: results.packages.join(", "),
    unstable: spreads.length,
    maxSpread: Math.round(Math.max(0, ...spreads) * 100),
    missed: lines.filter((it) => it.includes(" misses ")).join("\n"),
    met: lines.filter((it) => it.includes(" meets ")).join("\n"),
  };
  const files = new Map<string, string>();
  const fill = (text: string, kind = "", key = "", word = "", row = ""): string => {
    const group = groups.find((it) => it.key === key);
    if (group === undefined && key in texts) return String(texts[key]);
    if (group === undefined) throw new Error(`Nothing is measured for ${text}.`);
    if (row === "others") return renderRange(group);
    if (row !== "") return formatNumber(group.medianOf(row));
    const isChart = kind === "chart";
    const table = `<details><summary>${isChart ? "Table" : `Table: ${group.heading}`}</summary>\n\n${renderTable(group)}\n\n</details>`;
    if (!isChart) return table;
    const rows = group.rows.filter(({ name }) => word === "" || !name.includes(word));
    const path = `images/benchmark-${key.replaceAll(/\.|(?=[A-Z])/g, "-").toLowerCase()}.svg`;
    files.set(path, renderChart({ ...group, rows }));
    return `![${escape(describeChart({ ...group, rows }))}](${path})\n\n${table}`;
  };
  for (const [path, text] of pages) files.set(path, `${notice}\n\n${text.replaceAll(field, fill)}`);
  return files;
}

/** Renders the range of the load averages before the benchmarks. Without a load, no benchmark was measured. */
function renderLoads(loads: Results["loads"][string][]): string {
  const before = loads.map(([load = 0]) => load).toSorted((a, b) => a - b);
  return `${before[0] ?? 0} to ${before.at(-1) ?? 0}`;
}

/** Renders the lowest and the highest median of the peers. */
function renderRange({ rows }: Group): string {
  const peers = rows.filter(({ name }) => !isOwnPackage(name) && !/^(bare|HMAC)\b/.test(name));
  const sorted = peers.toSorted((a, b) => a.median - b.median);
  const ends = [...sorted.slice(0, 1), ...sorted.slice(-1)];
  return ends.map(({ name, median }) => `${formatNumber(median)} (${name})`).join(" to ");
}

export function renderTable({ heading, rows }: Group): string {
  const lines = rows.map((row) => {
    const [q1, median, q3] = [row.q1, row.median, row.q3].map(formatNumber);
    return `| ${escape(row.name)} | ${median} | ${q1} – ${q3} | ${row.runs} |`;
  });
  const head = `| ${heading} | median | quartiles | runs |\n| --- | ---: | ---: | ---: |`;
  return [head, ...lines].join("\n");
}

export function renderGoals(goals: readonly Goal[], groups: readonly Group[]): readonly string[] {
  return goals.flatMap(({ group: key, row, min = 0, max = Infinity, reason = "" }) => {
    const group = groups.find((it) => it.key === key);
    if (group === undefined) return [];
    const median = group.medianOf(row);
    const bound = max < Infinity ? `at most ${formatNumber(max)}` : `at least ${formatNumber(min)}`;
    const isMet = median >= min && median <= max;
    const verdict = `${formatNumber(median)} ${isMet ? "meets" : "misses"} the goal of ${bound}`;
    return [
      `- ${group.title}, ${row}: ${verdict} ${group.unit}`.trim() + `.${isMet ? "" : ` ${reason}`}`,
    ];
  });
}

const escape = (text: string): string => text.replaceAll(/[|[\]]/g, "\\$&");
