import type { CheckResult, Observation, Profile, Report } from "../report.ts";
import { version } from "../version.ts";
import type { ReportModel } from "./model.ts";

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
  /** If false, the run ended early. */
  readonly complete: boolean;
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
  /** Fault, or the reason why it was not observable. */
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

/** Writes the report as JSON. */
export function jsonReport(model: ReportModel): string {
  const { passed, failed, notObservable, observed, unknown } = model.counts;
  const { planned, max, spent } = model.credits;
  const data: JsonReport = {
    format: "tryon-contract",
    format_version: formatVersion,
    kit_version: version,
    base_url: model.baseUrl,
    level: model.level,
    started_at: model.startedAt,
    duration_ms: model.milliseconds,
    virtual_time: model.virtualTime,
    complete: model.complete,
    credits: { planned, max: Number.isFinite(max) ? max : null, spent },
    summary: { passed, failed, not_observable: notObservable, observed, unknown },
    checks: model.checks.map(({ id, title, rules, level, status, ...check }) => ({
      id,
      title,
      rules,
      level,
      status,
      message: check.message ?? null,
      curl: check.curl ?? null,
      credits: check.credits,
      duration_ms: check.milliseconds,
    })),
    observations: model.observations.map(({ id, option, title, rules, ...one }) => ({
      id,
      option,
      title,
      rules,
      value: one.known ? one.value : null,
      meaning: one.meaning ?? null,
      message: one.message ?? null,
      deviations: one.deviations,
    })),
    profile: model.profile,
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}
