import type { CheckResult, Report } from "../report.ts";
import { reportModel, type ReportModel } from "./model.ts";
import { noPaint, type Paint } from "./paint.ts";
import { printable, printableLine } from "./printable.ts";

/** Maximum number of ids that are listed for a reason. */
const maxIds = 4;

interface TextOptions {
  readonly paint?: Paint;
  /** If true, the text only has the failed checks and the verdict. */
  readonly brief?: boolean;
}

/** Writes the report for a terminal. */
export function textReport(report: Report, options?: TextOptions): string {
  return writeText(reportModel(report), options);
}

/** Writes the text of a report. */
export function writeText(
  model: ReportModel,
  { paint = noPaint, brief = false }: TextOptions = {},
): string {
  const details = brief
    ? []
    : [observedPart(model, paint), deviationsPart(model, paint), notObservablePart(model, paint)];
  return [...details, failedPart(model, paint), endPart(model, paint)]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function failedPart({ failed }: ReportModel, paint: Paint): string[] {
  if (failed.length === 0) return [];
  return [
    paint.bold(paint.red("Failed: the deployment violates the contract")),
    ...failed.flatMap((check) => failedLines(check, paint)),
  ];
}

/** Lines of a failed check: its requirement, the fault, its rules and a request that shows it. */
export function failedLines({ id, title, message, rules, curl }: CheckResult, paint: Paint) {
  return [
    `  ${paint.red("✗")} ${paint.bold(id)}`,
    `    ${paint.dim("required")}  ${title}`,
    `    ${paint.dim("actual")}    ${indented(message ?? "The deployment fails this check.", 14)}`,
    ...(rules.length === 0 ? [] : [`    ${paint.dim(`rules     ${rules.join(", ")}`)}`]),
    ...(curl === undefined ? [] : [`    ${paint.dim("request")}   ${printable(curl)}`]),
  ];
}

function observedPart({ observations }: ReportModel, paint: Paint): string[] {
  if (observations.length === 0) return [];
  const known = observations.filter((one) => one.known);
  const unknown = observations.filter((one) => !one.known);
  const optionWidth = maxLength(observations.map(({ option }) => option));
  const valueWidth = maxLength(known.map(({ value }) => String(value)));
  const line = (option: string, value: string, text: string): string =>
    `  ${option.padEnd(optionWidth)}  ${value}  ${text}`;
  return [
    paint.bold(paint.blue("Observed: the contract leaves these points open, so none is a fault")),
    ...known.map(({ option, value, text }) =>
      line(option, paint.blue(String(value).padEnd(valueWidth)), text),
    ),
    ...unknown.map(({ option, text }) =>
      paint.dim(line(option, "?".padEnd(valueWidth), printableLine(text))),
    ),
  ];
}

function deviationsPart({ observations }: ReportModel, paint: Paint): string[] {
  const explained = observations.flatMap(({ option, value, deviations }) =>
    deviations.map((what) => `  ${what}  ${paint.dim(`(${option} = ${String(value)})`)}`),
  );
  if (explained.length === 0) return [];
  return [
    paint.bold("Explained: deviations from spec/openapi.json that an observation explains"),
    ...explained,
  ];
}

function notObservablePart({ notObservable }: ReportModel, paint: Paint): string[] {
  if (notObservable.length === 0) return [];
  return [
    paint.bold(paint.yellow("Not observable: this run could not check this")),
    ...notObservable.flatMap(({ name: reason, checks }) => {
      const ids = checks.slice(0, maxIds).map(({ id }) => id);
      const more = checks.length > maxIds ? ` and ${checks.length - maxIds} more` : "";
      return [
        `  ${String(checks.length).padStart(3)} × ${printableLine(reason)}`,
        `        ${paint.dim(`${ids.join(", ")}${more}`)}`,
      ];
    }),
  ];
}

function endPart({ counts, verdict, tone, facts, baseUrl }: ReportModel, paint: Paint): string[] {
  const { passed, failed, notObservable, observed, unknown } = counts;
  const parts = [
    paint.green(`${passed} passed`),
    failed > 0 ? paint.red(`${failed} failed`) : "0 failed",
    notObservable > 0 ? paint.yellow(`${notObservable} not observable`) : "0 not observable",
    paint.blue(`${observed} of ${observed + unknown} observed`),
  ];
  const color = tone === "good" ? paint.green : paint.red;
  return [
    `${paint.bold(color(verdict))}  ${printableLine(baseUrl)}`,
    `  ${parts.join(" · ")}`,
    `  level ${facts.level} · ${facts.duration} · ${facts.credits}`,
  ];
}

function maxLength(words: readonly string[]): number {
  return Math.max(0, ...words.map(({ length }) => length));
}

function indented(text: string, spaces: number): string {
  return printable(text).replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
