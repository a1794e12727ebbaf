import { maxSpread, type Group, type Result, type Row } from "./benchmark.ts";
import { describeChart, renderChart } from "./chart.ts";
import { formatNumber, summarize } from "./statistics.ts";

/** Conditions of a run. */
export interface Machine {
  readonly cores: number;
  readonly node: string;
  readonly system: string;
  /** Load averages over one minute, before and after. */
  readonly load: readonly [before: number, after: number];
}

/** Renders the files of the page by their paths below `docs`. */
export function renderPage(results: readonly Result[], machine: Machine): Map<string, string> {
  const { cores, node, system, load } = machine;
  const [before, after] = load.map((value) => value.toFixed(2));
  const files = new Map<string, string>();
  const chart = ({ benchmark }: Result, key: string, plain: Group): string => {
    const group = { ...plain, title: `${benchmark.title}: ${plain.title}` };
    const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const path = `images/benchmark-${benchmark.name}-${name}.svg`;
    files.set(path, renderChart(group));
    return `![${escape(describeChart(group))}](${path})`;
  };
  const page = [
    "<!-- Made by `npm run bench -- --write`. Changes made here are lost. -->",
    "# Benchmarks",
    `Measured on ${cores} cores under ${system} with Node ${node}; the load average was ${before} before and ${after} after the run. \`npm run bench\` measures again, and \`npm run bench -- --write\` also writes this page.`,
    `Compared candidates take turns within one run, in rotating order. A ratio is taken pair by pair, and a run is the median of its pairs. The tables show the median and the quartiles of the runs. The page is only written while the quartiles of every ratio are at most ${maxSpread * 100} % apart.`,
    ...results.map((result) => renderResult(result, chart)),
  ];
  return files.set("benchmarks.md", `${page.join("\n\n")}\n`);
}

/** Renders a result as Markdown; for a terminal without charts. */
export function renderResult(
  result: Result,
  chart?: (result: Result, key: string, group: Group) => string,
): string {
  const { benchmark, groups } = result;
  const keys = Object.keys(benchmark.groups);
  const blocks = groups.flatMap((group, index) => [
    ...(chart !== undefined && group.chart ? [chart(result, keys[index] ?? "", group)] : []),
    renderTable(group),
    ...group.rows.flatMap((row) => renderGoal(row, group)),
  ]);
  return [`## ${benchmark.title}`, benchmark.method, ...blocks].join("\n\n");
}

function renderTable({ title, unit, rows }: Group): string {
  const lines = rows.map(({ name, samples }) => {
    const { median, q1, q3, runs } = summarize(samples);
    const quartiles = `${formatNumber(q1)} – ${formatNumber(q3)}`;
    return `| ${escape(name)} | ${formatNumber(median)} | ${quartiles} | ${runs} |`;
  });
  const head = `| ${title} (${unit}) | median | quartiles | runs |\n| --- | ---: | ---: | ---: |`;
  return [head, ...lines].join("\n");
}

function renderGoal({ name, samples, goal }: Row, { unit }: Group): readonly string[] {
  if (goal === undefined) return [];
  const { median } = summarize(samples);
  const { max = Infinity, min = -Infinity, reason = "" } = goal;
  const bound = max === Infinity ? `at least ${formatNumber(min)}` : `at most ${formatNumber(max)}`;
  const isMet = median <= max && median >= min;
  const verdict = isMet ? "Met." : `Missed with ${formatNumber(median)}. ${reason}`;
  return [`Goal for ${name}: ${bound} ${unit}. ${verdict}`.trim()];
}

function escape(text: string): string {
  return text.replaceAll(/[|[\]]/g, "\\$&");
}
