import type { Level, OptionValue } from "./check.ts";

/** Result of one check. */
export interface CheckResult {
  readonly id: string;
  /** Required behavior. */
  readonly title: string;
  readonly rules: readonly string[];
  readonly level: Level;
  /** `observed`: the document leaves the behavior open, so that no deployment fails the check. */
  readonly status: "passed" | "failed" | "observed" | "not-observable";
  /**
   * Fault, difference from the reference server of an observed check, or the reason why it was not observable. Missing if
   * the deployment passes or behaves as the reference server. Keys are redacted.
   */
  readonly message: string | undefined;
  /** Request that shows the fault or the difference, as a line for a shell. Keys are redacted. */
  readonly curl: string | undefined;
  /** Credits that it took out of the budget. */
  readonly credits: number;
  /** Duration in milliseconds of real time. */
  readonly milliseconds: number;
}

/** Behavior of a deployment at an open point. */
export interface Observation {
  readonly id: string;
  readonly option: string;
  readonly title: string;
  readonly rules: readonly string[];
  /** Observed value, or `unknown`. */
  readonly value: OptionValue;
  /** Reason why it is unknown. */
  readonly message: string | undefined;
  /** Deviations from the document that it explains. */
  readonly deviations: readonly string[];
}

/** End of a run before its last check. */
export interface EarlyEnd {
  /** Signal of the caller, `bail` after a failed check, or `maxTime`. */
  readonly cause: "interrupted" | "failed-check" | "max-time";
  /** Clause about the cause. */
  readonly message: string;
  /** Ids of the checks and probes that did not run, or not to their end. */
  readonly notRun: readonly string[];
}

/** Result of a run. */
export interface Report {
  readonly baseUrl: string;
  readonly level: Level;
  /** Start of the run, ISO 8601. */
  readonly startedAt: string;
  readonly milliseconds: number;
  /** If true, the run advanced the clock of a reference server instead of waiting. */
  readonly virtualTime: boolean;
  /** Undefined if every selected check ran. */
  readonly endedEarly: EarlyEnd | undefined;
  readonly credits: { readonly planned: number; readonly max: number; readonly spent: number };
  readonly checks: readonly CheckResult[];
  readonly observations: readonly Observation[];
  readonly profile: Profile;
}

/** Behavior of a deployment at the open points of the document, as options of the reference server. */
export interface Profile {
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Options that were not observable. */
  readonly unknown: readonly string[];
}
