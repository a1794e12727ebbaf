import type { CheckResult, EarlyEnd, Observation, Report } from "../report.ts";
import { openPoints } from "../open-points.ts";

/** Checks with one name. */
export interface Group<Check = CheckResult> {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** Makes the model of every form of a report. */
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
    /** Number of the not observable checks that the run did not reach. */
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
    /** Facts about the run, as text. */
    facts: {
      duration: `${(milliseconds / 1_000).toFixed(milliseconds < 9_950 ? 1 : 0)} s${report.virtualTime ? " with a virtual clock" : ""}`,
      credits: creditsOf(report),
    },
    failed,
    /** Checks of open points at which the deployment differs from the reference server. */
    differing,
    /** Checks by the first word of their ids. */
    areas: groups(checks, areaOf),
    /** Checks that ran and were not observable by their reason, the most common reason first. */
    notObservable: groups(
      skipped.filter(({ id }) => !notRun.has(id)),
      ({ message }) => message ?? "No reason was given.",
    ).toSorted((a, b) => b.checks.length - a.checks.length),
    /** Ids of the checks and probes that a run without an early end would have run, by their first word. */
    notRun: groups(
      [...notRun].map((id) => ({ id })),
      areaOf,
    ),
    observations,
  };
}

/** Model of every form of a report. */
export type ReportModel = ReturnType<typeof reportModel>;

/** Adds the meaning of an observation, and a text: the meaning, or the reason why the value is unknown. */
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

/** Adds the plural ending to a noun. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function creditsOf({ credits: { max, spent } }: Report): string {
  return Number.isFinite(max)
    ? `${spent} of at most ${plural(max, "credit")} spent`
    : `${plural(spent, "credit")} of a reference server spent`;
}
