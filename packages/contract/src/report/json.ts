import type { CheckResult, EarlyEnd, Observation, Profile, Report } from "../report.ts";
import { version } from "../version.ts";
import { reportModel } from "./model.ts";

/** Version of the format. It changes when a field is removed or changes its meaning. */
const formatVersion = 1;

/** Report that `--report json` writes. */
export interface JsonReport {
  readonly format: "tryon-contract";
  readonly format_version: typeof formatVersion;
  readonly kit_version: string;
  readonly base_url: string;
  readonly level: Report["level"];
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_ms: number;
  /** If true, the run advanced the clock of a reference server instead of waiting. */
  readonly virtual_time: boolean;
  /** Result of the run in one or two sentences. */
  readonly verdict: string;
  /** If false, the run ended early. */
  readonly complete: boolean;
  /** Cause of the early end, a clause about it, and the ids of the checks that did not run; null for a complete run. */
  readonly ended_early: {
    readonly cause: EarlyEnd["cause"];
    readonly message: string;
    readonly not_run: readonly string[];
  } | null;
  /** Credits of the run. `max` is null without a limit. */
  readonly credits: {
    readonly planned: number;
    readonly max: number | null;
    readonly spent: number;
  };
  readonly summary: {
    readonly passed: number;
    readonly failed: number;
    readonly not_observable: number;
    /** Number of checks of open points, which neither pass nor fail. */
    readonly open: number;
    /** Number of them at which the deployment differs from the reference server. */
    readonly differing: number;
    /** Number of options with an observed value. */
    readonly observed: number;
    readonly unknown: number;
  };
  readonly checks: readonly JsonCheck[];
  readonly observations: readonly JsonObservation[];
  /** Options of a reference server that behaves like the deployment. */
  readonly profile: Profile;
}

/** Result of one check. */
export interface JsonCheck extends Pick<
  CheckResult,
  "id" | "title" | "rules" | "level" | "status" | "credits"
> {
  /** Fault, difference from the reference server, or the reason why it was not observable. */
  readonly message: string | null;
  readonly curl: string | null;
  readonly duration_ms: number;
}

/** Behavior at one open point. */
export interface JsonObservation extends Pick<
  Observation,
  "id" | "option" | "title" | "rules" | "deviations"
> {
  /** Observed value, or null. */
  readonly value: Observation["value"] | null;
  /** Meaning of the value. */
  readonly meaning: string | null;
  /** Reason why it was not observable. */
  readonly message: string | null;
}

function endedEarlyOf({ endedEarly }: Report): JsonReport["ended_early"] {
  if (endedEarly === undefined) return null;
  const { notRun, ...rest } = endedEarly;
  return { ...rest, not_run: notRun };
}

/** Writes the report as JSON. */
export function jsonReport(report: Report): string {
  const model = reportModel(report);
  const { notObservable, notRun: _, ...counts } = model.counts;
  const { max } = model.credits;
  const data: JsonReport = {
    format: "tryon-contract",
    format_version: formatVersion,
    kit_version: version,
    base_url: model.baseUrl,
    level: model.level,
    started_at: model.startedAt,
    duration_ms: model.milliseconds,
    virtual_time: model.virtualTime,
    verdict: model.verdict,
    complete: model.endedEarly === undefined,
    ended_early: endedEarlyOf(model),
    credits: { ...model.credits, max: Number.isFinite(max) ? max : null },
    summary: { ...counts, not_observable: notObservable },
    checks: model.checks.map(({ milliseconds, ...check }) => ({
      ...check,
      message: check.message ?? null,
      curl: check.curl ?? null,
      duration_ms: milliseconds,
    })),
    observations: model.observations.map(({ id, option, title, rules, deviations, ...one }) => ({
      id,
      option,
      title,
      rules,
      value: one.known ? one.value : null,
      meaning: one.meaning ?? null,
      message: one.message ?? null,
      deviations,
    })),
    profile: model.profile,
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}
