import { spreadOf } from "./figures.ts";
import type { Findings, Goal, Row, Subject, Table, Unit } from "./subject.ts";

/** A subject and what was found about it. */
export interface Measured {
  readonly subject: Subject;
  readonly findings: Findings;
}

/** The machine, as far as figures depend on it and its owner does not. */
export interface Machine {
  readonly cores: number;
  readonly node: string;
  readonly system: string;
  /** How many processes were at work or waiting to be when the run began. */
  readonly load: number;
}

/** The page for people; made anew by each run that is told to write it. */
export function benchmarkPage(measured: readonly Measured[], machine: Machine): string {
  const { cores, node, system, load } = machine;
  return (
    [
      "<!-- Made by `npm run bench -- --write`. Changes made here are lost. -->",
      "# How fast it is",
      `Measured on ${cores} cores under ${system} with Node ${node}; when the run began, other work had put a load of ${load.toFixed(1)} on them, and figures in a second or in milliseconds are to be read with that in mind. Each figure stands for several runs, and those that are compared took turns; the ratio is taken pair by pair, so that what disturbs one run disturbs the one that it is compared with. \`npm run check\`, which builds the packages, and then \`npm run bench\` measure again; with \`-- --write\` this page is written anew.`,
      ...measured.flatMap(section),
      "",
    ]
      .join("\n\n")
      .trimEnd() + "\n"
  );
}

/** The same for a terminal. */
export function benchmarkText({ subject, findings }: Measured): string {
  const tables = (findings.tables ?? []).flatMap(({ head, lines }) => [head, ...lines]);
  const lines = [...tables, ...findings.rows.map(cells)].map((line) => `  ${line.join("  ")}`);
  const goals = verdicts(subject, findings).map((line) => `  ${line}`);
  return `${[subject.title, ...lines, ...goals].join("\n")}\n\n`;
}

function section({ subject, findings }: Measured): readonly string[] {
  const { rows, tables = [], remarks = [] } = findings;
  const spreads = { head: ["", "median", "least", "most", "runs"], lines: rows.map(cells) };
  const shown = [...tables, spreads].map(markdown);
  return [`## ${subject.title}`, subject.how, ...shown, ...verdicts(subject, findings), ...remarks];
}

function markdown({ head, lines }: Table): string {
  const rule = head.map((_name, index) => (index === 0 ? "---" : "---:"));
  return [lineOf(head), lineOf(rule), ...lines.map(lineOf)].join("\n");
}

function lineOf(texts: readonly string[]): string {
  return `| ${texts.map(escaped).join(" | ")} |`.replace(/^\|  \|/, "| |");
}

function verdicts({ goals = [] }: Subject, findings: Findings): readonly string[] {
  return goals.map((goal) => verdict(goal, findings));
}

function cells(row: Row): readonly string[] {
  const { what, unit, figures, note } = row;
  if (figures.length === 0) return [what, note ?? "not measured", "", "", "0"];
  const { median, least, most, runs } = spreadOf(figures);
  const shown = [median, least, most].map((figure) => written(figure, unit));
  return [note === undefined ? what : `${what} (${note})`, ...shown, String(runs)];
}

/** Whether a goal is met, in a sentence. */
export function verdict(goal: Goal, { rows }: Findings): string {
  const row = rows.find(({ what }) => what === goal.row);
  const wanted = `Goal: ${goal.row}, ${goal.kind} ${written(goal.bound, row?.unit ?? "times")}.`;
  if (row === undefined || row.figures.length === 0) return `${wanted} It could not be measured.`;
  const { median } = spreadOf(row.figures);
  const met = goal.kind === "at least" ? median >= goal.bound : median <= goal.bound;
  return `${wanted} It is ${met ? "met" : "missed"}: the median is ${written(median, row.unit)}.`;
}

function written(figure: number, unit: Unit): string {
  return `${numeral(figure)} ${unit === "times" ? "×" : unit}`;
}

/** A figure as the page has it, with no more digits than say something. */
export function numeral(figure: number): string {
  const digits = figure >= 100 ? 0 : figure >= 10 ? 1 : 2;
  return figure.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(figure) ? 0 : digits,
    maximumFractionDigits: digits,
  });
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
