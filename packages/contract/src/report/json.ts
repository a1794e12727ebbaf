import type { OptionValue } from "../check.ts";
import type { CheckResult, Profile, Report } from "../report.ts";
import { version } from "../version.ts";
import { meaningOf } from "./meanings.ts";
import { countsOf } from "./summary.ts";

/** The number of the report's form; it changes when a field goes or means something else, not when one is added. */
const jsonReportVersion = 1;

/** What `--report json` writes. */
export interface JsonReport {
  readonly format: "tryon-contract";
  readonly format_version: typeof jsonReportVersion;
  readonly kit_version: string;
  readonly base_url: string;
  readonly level: Report["level"];
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_ms: number;
  /** Whether time was moved and not waited for. */
  readonly virtual_time: boolean;
  /** False when the run was ended early. */
  readonly complete: boolean;
  /** `most` is null where there was no limit. */
  readonly credits: {
    readonly planned: number;
    readonly most: number | null;
    readonly spent: number;
  };
  readonly summary: {
    readonly kept: number;
    readonly broken: number;
    readonly skipped: number;
    readonly observed: number;
    readonly unknown: number;
  };
  readonly checks: readonly JsonCheck[];
  readonly observations: readonly JsonObservation[];
  /** As the reference server takes it. */
  readonly profile: Profile;
}

/** What came of one check. */
export interface JsonCheck extends Pick<
  CheckResult,
  "id" | "title" | "rules" | "level" | "status" | "credits"
> {
  /** What is wrong, or why it was left out. */
  readonly message: string | null;
  readonly curl: string | null;
  readonly duration_ms: number;
}

/** What was seen of one open point. */
export interface JsonObservation {
  readonly id: string;
  readonly option: string;
  readonly title: string;
  readonly rules: readonly string[];
  /** The value that was seen; null when it could not be seen. */
  readonly value: OptionValue | null;
  /** What the value means. */
  readonly meaning: string | null;
  /** Why it could not be seen. */
  readonly message: string | null;
  readonly deviations: readonly string[];
}

export function jsonReport(report: Report): string {
  const { kept, broken, skipped, observed, points } = countsOf(report);
  const { planned, most, spent } = report.credits;
  const data: JsonReport = {
    format: "tryon-contract",
    format_version: jsonReportVersion,
    kit_version: version,
    base_url: report.baseUrl,
    level: report.level,
    started_at: report.startedAt,
    duration_ms: report.milliseconds,
    virtual_time: report.virtualTime,
    complete: report.complete,
    credits: { planned, most: Number.isFinite(most) ? most : null, spent },
    summary: { kept, broken, skipped, observed, unknown: points - observed },
    checks: report.checks.map(({ id, title, rules, level, status, ...check }) => ({
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
    observations: report.observations.map(({ id, option, title, rules, value, ...seen }) => ({
      id,
      option,
      title,
      rules,
      value: value === "unknown" ? null : value,
      meaning: meaningOf(option, value) ?? null,
      message: seen.message ?? null,
      deviations: seen.deviations,
    })),
    profile: report.profile,
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}
