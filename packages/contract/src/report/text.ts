import { printable } from "@tryon/shared/printable";

import type { CheckResult, Report } from "../report.ts";
import { plural, reportModel, type Group, type ReportModel } from "./model.ts";
import { printableLine } from "./printable.ts";

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
} as const;

export type Paint = Readonly<Record<keyof typeof codes, (text: string) => string>>;

export function paintWith(colors: boolean): Paint {
  const styles = Object.entries(codes).map(([name, [begin, end]]) => [
    name,
    (text: string) => (colors ? `\u001B[${begin}m${text}\u001B[${end}m` : text),
  ]);
  // The names are those of the codes.
  return Object.fromEntries(styles) as Paint;
}

const maxIds = 4;

interface TextOptions {
  readonly brief?: boolean | undefined;
  readonly all?: boolean | undefined;
  /** Columns of a terminal. Requests are cut to a line of it. */
  readonly width?: number | undefined;
}

export function textReport(
  report: Report,
  paint = paintWith(false),
  { brief = false, all = false, width = Infinity }: TextOptions = {},
): string {
  const model = reportModel(report);
  const { bold, dim, green, red, yellow, blue } = paint;
  const passed = report.checks.filter(({ status }) => all && status === "passed");
  const details = [
    [
      bold(green("Passed: the deployment keeps the contract here")),
      ...passed.map(({ id, title }) => `  ${green("✓")} ${id}  ${dim(title)}`),
    ],
    [
      bold(blue("Observed: the contract leaves these points open, so none is a fault")),
      ...observedLines(model, paint),
    ],
    [
      bold(blue("Differs: the contract leaves this open, and the reference server does otherwise")),
      ...model.differing.flatMap(({ id, message = "" }) => [
        `  ${id}`,
        `        ${dim(printableLine(message))}`,
      ]),
    ],
    [
      bold("Explained: deviations from spec/openapi.json that an observation explains"),
      ...model.observations.flatMap(({ option, value, deviations }) =>
        deviations.map((what) => `  ${what}  ${dim(`(${option} = ${String(value)})`)}`),
      ),
    ],
    [
      bold(yellow("Not observable: this run could not check this")),
      ...model.notObservable.flatMap((group) => groupLines(group, dim)),
    ],
  ];
  const failures = [
    bold(red("Failed: the deployment violates the contract")),
    ...model.failed.flatMap((check) => failedLines(check, paint, width)),
  ];
  const notRun = [
    bold(yellow("Not run: the run ended before these checks")),
    ...model.notRun.flatMap((group) =>
      groupLines(group, dim, width === Infinity ? Infinity : maxIds),
    ),
  ];
  const sections = [...(brief ? [] : details), failures, notRun].filter(
    (lines) => lines.length > 1,
  );
  return [...sections, endLines(model, paint)].map((lines) => `${lines.join("\n")}\n`).join("\n");
}

export function failedLines(
  { id, title, message, rules, curl }: CheckResult,
  paint: Paint,
  width = Infinity,
): string[] {
  const fault = printable(message ?? "The deployment fails this check.");
  return [
    `  ${paint.red("✗")} ${paint.bold(id)}`,
    `    ${paint.dim("required")}  ${title}`,
    `    ${paint.dim("actual")}    ${fault.replaceAll("\n", `\n${" ".repeat(14)}`)}`,
    ...(rules.length === 0 ? [] : [`    ${paint.dim(`rules     ${rules.join(", ")}`)}`]),
    ...(curl === undefined ? [] : [`    ${paint.dim("request")}   ${cutLine(curl, width - 14)}`]),
  ];
}

function cutLine(curl: string, width: number): string {
  if (width === Infinity) return printable(curl);
  const line = printableLine(curl);
  const end = "… (whole in --report html)";
  const start = line.slice(0, Math.max(0, width - end.length));
  return line.length <= width ? line : `${start}${end}`;
}

function groupLines(
  { name, checks }: Group<{ readonly id: string }>,
  dim: Paint["dim"],
  max = maxIds,
): string[] {
  const ids = checks.slice(0, max).map(({ id }) => id);
  const more = checks.length > max ? ` and ${checks.length - max} more` : "";
  return [
    `  ${String(checks.length).padStart(3)} × ${printableLine(name)}`,
    `        ${dim(`${ids.join(", ")}${more}`)}`,
  ];
}

function observedLines({ observations }: ReportModel, { blue, dim }: Paint): string[] {
  const known = observations.filter((one) => one.known);
  const unknown = observations.filter((one) => !one.known);
  const optionWidth = maxLength(observations.map(({ option }) => option));
  const valueWidth = maxLength(known.map(({ value }) => String(value)));
  const line = (option: string, value: string, text: string): string =>
    `  ${option.padEnd(optionWidth)}  ${value}  ${text}`;
  return [
    ...known.map(({ option, value, text }) =>
      line(option, blue(String(value).padEnd(valueWidth)), text),
    ),
    ...unknown.map(({ option, text }) =>
      dim(line(option, "?".padEnd(valueWidth), printableLine(text))),
    ),
  ];
}

function endLines({ counts, verdict, tone, facts, level, baseUrl }: ReportModel, paint: Paint) {
  const { passed, failed, notObservable, notRun, open, differing, observed, unknown } = counts;
  const parts = [
    paint.green(`${passed} passed`),
    failed > 0 ? paint.red(`${failed} failed`) : "0 failed",
    notObservable > 0 ? paint.yellow(`${notObservable} not observable`) : "0 not observable",
    ...(notRun > 0 ? [paint.yellow(`${notRun} of them not run`)] : []),
    paint.blue(`${observed} of ${observed + unknown} observed`),
    ...(open > 0
      ? [`${plural(open, "open check")}, ${differing} differ from the reference server`]
      : []),
  ];
  const color = tone === "good" ? paint.green : paint.red;
  return [
    `${paint.bold(color(verdict))}  ${printableLine(baseUrl)}`,
    `  ${parts.join(" · ")}`,
    `  level ${level} · ${facts.duration} · ${facts.credits}`,
  ];
}

function maxLength(words: readonly string[]): number {
  return Math.max(0, ...words.map(({ length }) => length));
}
