import type { CheckResult, Observation, Report } from "../report.ts";
import { meaningOf } from "./meanings.ts";
import { noPaint, type Paint } from "./paint.ts";
import { printable, printableLine } from "./printable.ts";
import { countsOf, creditsOf, seconds, skippedGroups, verdictOf } from "./summary.ts";

/** How many ids of a group of left-out checks are named. */
const idsShown = 4;

/**
 * The report for people at a terminal.
 *
 * @param brief whether to leave out all but what is broken and the verdict.
 */
export function textReport(report: Report, { paint = noPaint, brief = false } = {}): string {
  const parts = brief
    ? [brokenPart(report, paint)]
    : [
        observedPart(report, paint),
        deviationsPart(report, paint),
        skippedPart(report, paint),
        brokenPart(report, paint),
      ];
  return [...parts, endPart(report, paint)]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function brokenPart({ checks }: Report, paint: Paint): string[] {
  const broken = checks.filter(({ status }) => status === "broken");
  if (broken.length === 0) return [];
  return [
    paint.bold(paint.red("Broken: the deployment does not do what the contract says")),
    ...broken.flatMap((check) => brokenLines(check, paint)),
  ];
}

/** One broken check: what it claims, what came, and how to see it again. */
export function brokenLines({ id, title, message, rules, curl }: CheckResult, paint: Paint) {
  return [
    `  ${paint.red("✗")} ${paint.bold(id)}`,
    `    ${paint.dim("should")} ${title}`,
    `    ${paint.dim("but")}    ${indented(message ?? "it does not.", 11)}`,
    ...(rules.length === 0 ? [] : [`    ${paint.dim(`rules  ${rules.join(", ")}`)}`]),
    ...(curl === undefined ? [] : [`    ${paint.dim("see")}    ${printable(curl)}`]),
  ];
}

function observedPart({ observations }: Report, paint: Paint): string[] {
  const seen = observations.filter(({ value }) => value !== "unknown");
  const unknown = observations.filter(({ value }) => value === "unknown");
  if (observations.length === 0) return [];
  const option = widest(observations.map((one) => one.option));
  const value = widest(seen.map((one) => String(one.value)));
  return [
    paint.bold(paint.blue("Observed: the contract is silent here, so none of this is a fault")),
    ...seen.map(
      (one) =>
        `  ${one.option.padEnd(option)}  ${paint.blue(String(one.value).padEnd(value))}  ${meaning(one)}`,
    ),
    ...unknown.map(
      (one) =>
        `  ${paint.dim(`${one.option.padEnd(option)}  ${"?".padEnd(value)}  ${printableLine(one.message ?? "This run could not tell.")}`)}`,
    ),
  ];
}

function meaning({ option, value, title }: Observation): string {
  return meaningOf(option, value) ?? title;
}

function deviationsPart({ observations }: Report, paint: Paint): string[] {
  const explained = observations.flatMap(({ option, value, deviations }) =>
    deviations.map((what) => `  ${what}  ${paint.dim(`(${option} = ${String(value)})`)}`),
  );
  if (explained.length === 0) return [];
  return [
    paint.bold("Explained: not as spec/openapi.json says, because of what was observed"),
    ...explained,
  ];
}

function skippedPart(report: Report, paint: Paint): string[] {
  const groups = skippedGroups(report);
  if (groups.length === 0) return [];
  return [
    paint.bold(paint.yellow("Skipped: this run could not see it")),
    ...groups.flatMap(({ reason, checks }) => {
      const ids = checks.slice(0, idsShown).map(({ id }) => id);
      const more = checks.length > idsShown ? ` and ${checks.length - idsShown} more` : "";
      return [
        `  ${String(checks.length).padStart(3)} × ${printableLine(reason)}`,
        `        ${paint.dim(`${ids.join(", ")}${more}`)}`,
      ];
    }),
  ];
}

function endPart(report: Report, paint: Paint): string[] {
  const { kept, broken, skipped, observed, points } = countsOf(report);
  const verdict = verdictOf(report);
  const good = broken === 0 && report.complete && kept > 0;
  const counts = [
    paint.green(`${kept} kept`),
    broken > 0 ? paint.red(`${broken} broken`) : "0 broken",
    skipped > 0 ? paint.yellow(`${skipped} skipped`) : "0 skipped",
    paint.blue(`${observed} of ${points} observed`),
  ];
  return [
    `${paint.bold(good ? paint.green(verdict) : paint.red(verdict))}  ${printableLine(report.baseUrl)}`,
    `  ${counts.join(" · ")}`,
    `  level ${report.level} · ${seconds(report.milliseconds)}${report.virtualTime ? " over virtual time" : ""} · ${creditsOf(report)}`,
  ];
}

function widest(words: readonly string[]): number {
  return Math.max(0, ...words.map(({ length }) => length));
}

function indented(text: string, spaces: number): string {
  return printable(text).replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
