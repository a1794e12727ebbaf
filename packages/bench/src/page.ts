import { availableParallelism, type } from "node:os";

import { maxSpread, type MeasuredGroup, type Result } from "./benchmark.ts";
import { describeChart, formatNumber, renderChart } from "./chart.ts";

/** Renders the files of the page by their paths below `docs`; `load` are the load averages before and after the run. */
export function renderPage(results: readonly Result[], load: readonly number[]) {
  const machine = `${availableParallelism()} cores under ${type()} with Node ${process.versions.node}`;
  const [before, after] = load.map((value) => value.toFixed(2));
  const files = new Map<string, string>();
  const page = [
    "<!-- Made by `npm run bench -- --write`. Changes made here are lost. -->",
    "# Benchmarks",
    `Measured on ${machine}; the load average was ${before} before and ${after} after the run. \`npm run bench\` measures again, and \`npm run bench -- --write\` also writes this page.`,
    `Compared candidates take turns within one run, in rotating order. A ratio is taken pair by pair, and a run is the median of its pairs. The tables show the median and the quartiles of the runs. The page is only written while the quartiles of every ratio are at most ${maxSpread * 100} % apart.`,
    ...results.map((result) => renderResult(result, files)),
  ];
  return files.set("benchmarks.md", `${page.join("\n\n")}\n`);
}

/** Renders a result as Markdown. Adds its charts to the files; without files it has none. */
export function renderResult(
  { name, title, method, groups }: Result,
  files?: Map<string, string>,
): string {
  const blocks = groups.flatMap((group) => {
    const goals = group.goals.map((goal) => renderGoal(goal, group));
    if (files === undefined || group.chart !== true) return [renderTable(group), ...goals];
    const key = group.key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const path = `images/benchmark-${name}-${key}.svg`;
    const chart = { ...group, title: `${title}: ${group.title}` };
    files.set(path, renderChart(chart));
    return [`![${escape(describeChart(chart))}](${path})`, renderTable(group), ...goals];
  });
  return [`## ${title}`, method, ...blocks].join("\n\n");
}

function renderTable({ title, unit, rows }: MeasuredGroup): string {
  const lines = rows.map((row) => {
    const [q1, median, q3] = [row.q1, row.median, row.q3].map(formatNumber);
    return `| ${escape(row.name)} | ${median} | ${q1} – ${q3} | ${row.runs} |`;
  });
  const head = `| ${title} (${unit}) | median | quartiles | runs |\n| --- | ---: | ---: | ---: |`;
  return [head, ...lines].join("\n");
}

function renderGoal(goal: MeasuredGroup["goals"][number], { title, unit }: MeasuredGroup): string {
  const { row, median, max, min = 0, reason = "" } = goal;
  const bound = max ? `at most ${formatNumber(max)}` : `at least ${formatNumber(min)}`;
  const isMet = median >= min && median <= (max ?? Infinity);
  const verdict = isMet ? "Met." : `Missed with ${formatNumber(median)}. ${reason}`;
  return `Goal for ${row} (${title}): ${bound} ${unit}. ${verdict}`.trim();
}

const escape = (text: string): string => text.replaceAll(/[|[\]]/g, "\\$&");
