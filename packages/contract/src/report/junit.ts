import type { CheckResult, Report } from "../report.ts";
import { printable } from "./printable.ts";
import { areaOf, countsOf, grouped } from "./summary.ts";

/** The report as JUnit XML: a suite for each area, a test case for each check, a property for each open point. */
export function junitReport(report: Report): string {
  const { broken, skipped } = countsOf(report);
  const areas = [...grouped(report.checks, areaOf)];
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({
      name: `tryon-contract ${report.baseUrl}`,
      tests: report.checks.length,
      failures: broken,
      errors: 0,
      skipped,
      time: seconds(report.milliseconds),
    })}>`,
    ...areas.flatMap(([area, checks], index) => [
      ...suite(area, checks, report.startedAt),
      // What holds for the whole run stands in the first suite: the format has no place for it elsewhere.
      ...(index === 0 ? properties(report) : []),
      ...checks.flatMap((check) => testCase(area, check)),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

function suite(area: string, checks: readonly CheckResult[], startedAt: string): string[] {
  const count = (status: CheckResult["status"]): number =>
    checks.filter((check) => check.status === status).length;
  return [
    `  <testsuite${attributes({
      name: area,
      tests: checks.length,
      failures: count("broken"),
      errors: 0,
      skipped: count("skipped"),
      time: seconds(checks.reduce((sum, { milliseconds }) => sum + milliseconds, 0)),
      timestamp: startedAt.replace(/\.\d+Z$/, "Z"),
    })}>`,
  ];
}

function properties({ baseUrl, level, observations }: Report): string[] {
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
  if (status === "kept") return [`${open}/>`];
  if (status === "skipped") {
    return [`${open}>`, `      <skipped${attributes({ message })}/>`, "    </testcase>"];
  }
  const details = [message, `rules: ${rules.join(", ")}`, ...(curl === undefined ? [] : [curl])];
  return [
    `${open}>`,
    `      <failure${attributes({ type: "broken", message })}>${escaped(details.join("\n"))}</failure>`,
    "    </testcase>",
  ];
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

/** Text for XML 1.0, which has no place for control characters, not even escaped. */
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
