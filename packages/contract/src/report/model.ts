import type { CheckResult, EarlyEnd, Observation, Report } from "../report.ts";
import { openPoints } from "../open-points.ts";

export interface Group<Check = CheckResult> {
  readonly name: string;
  readonly checks: readonly Check[];
}

export function reportModel(report: Report) {
  const { checks, endedEarly, milliseconds } = report;
  const failed = checks.filter(({ status }) => status === "failed");
  const skipped = checks.filter(({ status }) => status === "not-observable");
  const open = checks.filter(({ status }) => status === "observed");
  const differing = open.filter(({ message }) => message !== undefined);
  const observations = report.observations.map(withMeaning);
  const observed = observations.filter(({ known }) => known).length;
  const notRun = new Set(endedEarly?.notRun);
  const counts = {
    passed: checks.length - failed.length - skipped.length - open.length,
    failed: failed.length,
    notObservable: skipped.length,
    notRun: skipped.filter(({ id }) => notRun.has(id)).length,
    open: open.length,
    differing: differing.length,
    observed,
    unknown: observations.length - observed,
  };
  const isGood = endedEarly === undefined && counts.passed + counts.open > 0;
  return {
    ...report,
    counts,
    /** Result of the run in one or two sentences. */
    verdict: verdictOf(counts, endedEarly),
    /** Color of the verdict: `open` if nothing failed and too little passed. */
    tone: failed.length > 0 ? "bad" : isGood ? "good" : "open",
    facts: {
      duration: `${(milliseconds / 1_000).toFixed(milliseconds < 9_950 ? 1 : 0)} s${report.virtualTime ? " with a virtual clock" : ""}`,
      credits: creditsOf(report),
    },
    failed,
    differing,
    areas: groups(checks, areaOf),
    notObservable: groups(
      skipped.filter(({ id }) => !notRun.has(id)),
      ({ message }) => message ?? "No reason was given.",
    ).toSorted((a, b) => b.checks.length - a.checks.length),
    notRun: groups(
      [...notRun].map((id) => ({ id })),
      areaOf,
    ),
    observations,
  };
}

export type ReportModel = ReturnType<typeof reportModel>;

function withMeaning(observation: Observation) {
  const { option, title, value, message = "This run could not tell." } = observation;
  const known = value !== "unknown";
  const meaning = openPoints.get(option)?.meaningOf(value);
  return { ...observation, known, meaning, text: known ? (meaning ?? title) : message };
}

type Counts = Record<"passed" | "failed" | "notObservable" | "open", number>;

function verdictOf(counts: Counts, endedEarly: EarlyEnd | undefined): string {
  const { passed, failed, notObservable, open } = counts;
  const failing = `The deployment fails ${plural(failed, "check")}`;
  if (endedEarly !== undefined) {
    const soFar = failed > 0 ? `${failing} so far.` : "No check has failed so far.";
    return `The run ended early: ${endedEarly.message}. ${soFar}`;
  }
  if (failed > 0) return `${failing}.`;
  if (passed + open === 0) return "No check could run, so the result is open.";
  if (notObservable === 0) return "The deployment passes every check.";
  return `The deployment passes every observable check. ${plural(notObservable, "check")} could not run.`;
}

/** Groups checks; `Map.groupBy` came with Node 21. */
function groups<Check>(checks: readonly Check[], nameOf: (check: Check) => string): Group<Check>[] {
  const found = new Map<string, Check[]>();
  for (const check of checks) {
    const name = nameOf(check);
    found.set(name, [...(found.get(name) ?? []), check]);
  }
  return [...found].map(([name, members]) => ({ name, checks: members }));
}

function areaOf({ id }: Pick<CheckResult, "id">): string {
  return id.split(".", 1)[0] ?? id;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function creditsOf({ credits: { max, spent } }: Report): string {
  return Number.isFinite(max)
    ? `${spent} of at most ${plural(max, "credit")} spent`
    : `${plural(spent, "credit")} of a reference server spent`;
}
