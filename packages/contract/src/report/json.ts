import type { CheckResult, EarlyEnd, Observation, Profile, Report } from "../report.ts";
import { version } from "../version.ts";
import { reportModel } from "./model.ts";

/** Version of the format. It changes when a field is removed or changes its meaning. */
const formatVersion = 1;

/** Report that `--report json` writes. */
export interface JsonReport {
  /** Constant by which a program recognizes the format. */
  readonly format: "tryon-contract";
  /** Number that rises when a field is removed or changes its meaning. */
  readonly format_version: typeof formatVersion;
  /** Version of `@tryon/contract` that wrote the report. */
  readonly kit_version: string;
  /** Base URL of the deployment, with keys redacted. */
  readonly base_url: string;
  /** Level that selected the checks. */
  readonly level: Report["level"];
  /** ISO 8601. */
  readonly started_at: string;
  /** Duration in milliseconds of real time. */
  readonly duration_ms: number;
  /** If true, the run advanced the clock of a reference server instead of waiting. */
  readonly virtual_time: boolean;
  /** Result of the run in one or two sentences. */
  readonly verdict: string;
  /** If false, the run ended early. */
  readonly complete: boolean;
  /** End of the run before its last check; null for a complete run. */
  readonly ended_early:
    | (Pick<EarlyEnd, "cause" | "message"> & {
        /** Ids of the checks and probes that did not run, or not to their end. */
        readonly not_run: EarlyEnd["notRun"];
      })
    | null;
  /** Cost of the run in credits. */
  readonly credits: Pick<Report["credits"], "planned" | "spent"> & {
    /** Maximum for the whole run, or null without a limit. */
    readonly max: number | null;
  };
  /** Number of checks and options by result. */
  readonly summary: {
    /** Number of checks that the deployment passes. */
    readonly passed: number;
    /** Number of checks that the deployment fails. */
    readonly failed: number;
    /** Number of checks that this run could not make. */
    readonly not_observable: number;
    /** Number of checks of open points, which neither pass nor fail. */
    readonly open: number;
    /** Number of them at which the deployment differs from the reference server. */
    readonly differing: number;
    /** Number of options with an observed value. */
    readonly observed: number;
    /** Number of options without an observed value. */
    readonly unknown: number;
  };
  /** Results of the selected checks, also of those that did not run. */
  readonly checks: readonly JsonCheck[];
  /** Observed behavior at each selected open point. */
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
  /** Request that shows the fault or the difference, as a line for a shell, or null. */
  readonly curl: string | null;
  /** Duration in milliseconds of real time. */
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

export function jsonReport(report: Report): string {
  const model = reportModel(report);
  const { notObservable, notRun: _, ...counts } = model.counts;
  const { max } = model.credits;
  const early = model.endedEarly;
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
    complete: early === undefined,
    ended_early: early
      ? { cause: early.cause, message: early.message, not_run: early.notRun }
      : null,
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
