import type { CheckResult, Report } from "../report.ts";
import { reportModel } from "./model.ts";
import { escaped } from "./printable.ts";

export function junitReport(report: Report): string {
  const model = reportModel(report);
  const { baseUrl, level, startedAt, milliseconds, checks, areas, observations } = model;
  const { verdict, endedEarly } = model;
  const properties = [
    ["base_url", baseUrl],
    ["level", level],
    ["verdict", verdict],
    ...(endedEarly === undefined ? [] : [["not_run", endedEarly.notRun.join(" ")]]),
    ...observations.map(({ option, value }) => [`observed.${option}`, String(value)]),
  ].map(([name, value]) => element("property", { name, value }));
  const suites = areas.map((area, index) => {
    const values = {
      name: area.name,
      ...totals(area.checks),
      timestamp: startedAt.replace(/\.\d+Z$/, "Z"),
    };
    return element("testsuite", values, [
      // The format has properties only in suites, so the first one has those of the run.
      ...(index === 0 ? [element("properties", {}, properties)] : []),
      ...area.checks.map((check) => testCase(area.name, check)),
    ]);
  });
  const headline = endedEarly === undefined ? "" : ` (ended early: ${endedEarly.message})`;
  const name = `tryon-contract ${baseUrl}${headline}`;
  const root = { name, ...totals(checks), time: seconds(milliseconds) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", root, suites)}\n`;
}

function totals(checks: readonly CheckResult[]) {
  const count = (status: CheckResult["status"]): number =>
    checks.filter((check) => check.status === status).length;
  return {
    tests: checks.length,
    failures: count("failed"),
    errors: 0,
    skipped: count("not-observable"),
    time: seconds(checks.reduce((sum, { milliseconds }) => sum + milliseconds, 0)),
  };
}

function testCase(area: string, check: CheckResult): string {
  const { id, title, status, message = "", curl, rules, milliseconds } = check;
  const values = {
    classname: `tryon-contract.${area}`,
    name: `${id}: ${title}`,
    time: seconds(milliseconds),
  };
  if (status === "passed") return element("testcase", values);
  if (status === "not-observable") {
    return element("testcase", values, [element("skipped", { message })]);
  }
  if (status === "observed") {
    const text = check.message ?? "As the reference server.";
    return element("testcase", values, [element("system-out", {}, escaped(text))]);
  }
  const details = [message, `rules: ${rules.join(", ")}`, ...(curl === undefined ? [] : [curl])];
  const failure = element("failure", { type: "failed", message }, escaped(details.join("\n")));
  return element("testcase", values, [failure]);
}

function element(
  name: string,
  values: Readonly<Record<string, string | number | undefined>>,
  content?: string | readonly string[],
): string {
  const attributes = Object.entries(values).map(([key, value]) => {
    const text = escaped(String(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
    return ` ${key}="${text}"`;
  });
  const open = `<${name}${attributes.join("")}`;
  if (content === undefined) return `${open}/>`;
  const inside = typeof content === "string" ? content : ["", ...content, ""].join("\n");
  return `${open}>${inside}</${name}>`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
