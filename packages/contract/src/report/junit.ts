import type { CheckResult } from "../report.ts";
import type { Group, ReportModel } from "./model.ts";
import { printable } from "./printable.ts";

/** Writes JUnit XML: a suite for each area, a test case for each check, a property for each open point. */
export function junitReport(model: ReportModel): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({
      name: `tryon-contract ${model.baseUrl}`,
      tests: model.checks.length,
      failures: model.counts.failed,
      errors: 0,
      skipped: model.counts.notObservable,
      time: seconds(model.milliseconds),
    })}>`,
    ...model.areas.flatMap((area, index) => [
      ...suite(area, model.startedAt),
      // The format has properties only in suites, so the first one has those of the run.
      ...(index === 0 ? properties(model) : []),
      ...area.checks.flatMap((check) => testCase(area.name, check)),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

function suite({ name, checks }: Group, startedAt: string): string[] {
  const count = (status: CheckResult["status"]): number =>
    checks.filter((check) => check.status === status).length;
  return [
    `  <testsuite${attributes({
      name,
      tests: checks.length,
      failures: count("failed"),
      errors: 0,
      skipped: count("not-observable"),
      time: seconds(checks.reduce((sum, { milliseconds }) => sum + milliseconds, 0)),
      timestamp: startedAt.replace(/\.\d+Z$/, "Z"),
    })}>`,
  ];
}

function properties({ baseUrl, level, observations }: ReportModel): string[] {
  const pairs = [
    ["base_url", baseUrl],
    ["level", level],
    ...observations.map(({ option, value }) => [`observed.${option}`, String(value)]),
  ];
  return [
    "    <properties>",
    ...pairs.map(([name, value]) => `      <property${attributes({ name, value })}/>`),
    "    </properties>",
  ];
}

function testCase(area: string, check: CheckResult): string[] {
  const { id, title, status, message = "", curl, rules, milliseconds } = check;
  const open = `    <testcase${attributes({
    classname: `tryon-contract.${area}`,
    name: `${id}: ${title}`,
    time: seconds(milliseconds),
  })}`;
  if (status === "passed") return [`${open}/>`];
  const details = [message, `rules: ${rules.join(", ")}`, ...(curl === undefined ? [] : [curl])];
  const result =
    status === "not-observable"
      ? `<skipped${attributes({ message })}/>`
      : `<failure${attributes({ type: "failed", message })}>${escaped(details.join("\n"))}</failure>`;
  return [`${open}>`, `      ${result}`, "    </testcase>"];
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

/** Escapes text for XML 1.0, which allows no control characters, not even escaped. */
function escaped(text: string): string {
  return printable(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\t", "&#9;");
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
