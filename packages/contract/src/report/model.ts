import type { CheckResult, Observation, Report } from "../report.ts";
import { meaningOf } from "./meanings.ts";

/** Model of every form of a report. */
export interface ReportModel extends Omit<Report, "observations"> {
  readonly counts: Counts;
  /** Result of the run in one or two sentences. */
  readonly verdict: string;
  /** Color of the verdict: `open` if nothing failed and too little passed. */
  readonly tone: "good" | "bad" | "open";
  /** Facts about the run, as text. */
  readonly facts: { readonly level: string; readonly duration: string; readonly credits: string };
  readonly failed: readonly CheckResult[];
  /** Checks by the first word of their ids. */
  readonly areas: readonly Group[];
  /** Checks that were not observable by their reason, the most common reason first. */
  readonly notObservable: readonly Group[];
  readonly observations: readonly ReportedObservation[];
}

/** Number of checks with each status, and of observations. */
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly notObservable: number;
  readonly observed: number;
  readonly unknown: number;
}

/** Checks with one name. */
export interface Group {
  readonly name: string;
  readonly checks: readonly CheckResult[];
}

/** An observation with its meaning. */
export interface ReportedObservation extends Observation {
  readonly known: boolean;
  readonly meaning: string | undefined;
  /** Meaning of the value, or the reason why it is unknown. */
  readonly text: string;
}

/** Makes the model of a report. */
export function reportModel(report: Report): ReportModel {
  const { checks } = report;
  const failed = checks.filter(({ status }) => status === "failed");
  const skipped = checks.filter(({ status }) => status === "not-observable");
  const observations = report.observations.map(reportedObservation);
  const observed = observations.filter(({ known }) => known).length;
  const counts: Counts = {
    passed: checks.length - failed.length - skipped.length,
    failed: failed.length,
    notObservable: skipped.length,
    observed,
    unknown: observations.length - observed,
  };
  const isGood = counts.failed === 0 && report.complete && counts.passed > 0;
  return {
    ...report,
    counts,
    verdict: verdictOf(counts, report.complete),
    tone: counts.failed > 0 ? "bad" : isGood ? "good" : "open",
    facts: {
      level: report.level,
      duration: `${seconds(report.milliseconds)}${report.virtualTime ? " with a virtual clock" : ""}`,
      credits: creditsOf(report),
    },
    failed,
    areas: groups(checks, areaOf),
    notObservable: groups(skipped, ({ message }) => message ?? "No reason was given.").toSorted(
      (a, b) => b.checks.length - a.checks.length,
    ),
    observations,
  };
}

function reportedObservation(observation: Observation): ReportedObservation {
  const { option, title, value, message = "This run could not tell." } = observation;
  const known = value !== "unknown";
  const meaning = meaningOf(option, value);
  return { ...observation, known, meaning, text: known ? (meaning ?? title) : message };
}

function verdictOf({ passed, failed, notObservable }: Counts, complete: boolean): string {
  if (failed > 0) return `The deployment fails ${plural(failed, "check")}.`;
  if (!complete) return "The run ended early. No check has failed so far.";
  if (passed === 0) return "No check could run, so the result is open.";
  if (notObservable === 0) return "The deployment passes every check.";
  return `The deployment passes every observable check. ${plural(notObservable, "check")} could not run.`;
}

/** Groups checks; `Map.groupBy` came with Node 21. */
function groups(checks: readonly CheckResult[], nameOf: (check: CheckResult) => string) {
  const found = new Map<string, CheckResult[]>();
  for (const check of checks) {
    const name = nameOf(check);
    found.set(name, [...(found.get(name) ?? []), check]);
  }
  return [...found].map(([name, members]): Group => ({ name, checks: members }));
}

function areaOf({ id }: CheckResult): string {
  return id.split(".", 1)[0] ?? id;
}

/** Adds the plural ending to a noun. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function creditsOf({ credits: { max, spent } }: Report): string {
  return Number.isFinite(max)
    ? `${spent} of at most ${plural(max, "credit")} spent`
    : `${plural(spent, "credit")} of a reference server spent`;
}

function seconds(milliseconds: number): string {
  return milliseconds < 9_950
    ? `${(milliseconds / 1_000).toFixed(1)} s`
    : `${Math.round(milliseconds / 1_000)} s`;
}
