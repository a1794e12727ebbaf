import type { Level } from "./check.ts";
import type { OptionValue } from "./open-points.ts";

/** Result of one check. */
export interface CheckResult {
  /** Id that `only` selects by, such as `idempotency.replay.free`. */
  readonly id: string;
  /** Required behavior. */
  readonly title: string;
  /** Ids of the rules in `spec/rules.json` that the check covers. */
  readonly rules: readonly string[];
  /** Lowest level that runs the check; for response schemas, the level of the run. */
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
  /** Id that `only` selects by, such as `observed.checkOrder`. */
  readonly id: string;
  /** Option of the reference server for the open point, such as `checkOrder`. */
  readonly option: string;
  /** Behavior that the option sets. */
  readonly title: string;
  /** Ids of the rules in `spec/rules.json` that leave the behavior open. */
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
  /** Base URL of the deployment, with keys redacted. */
  readonly baseUrl: string;
  /** Level that selected the checks. */
  readonly level: Level;
  /** Start of the run, ISO 8601. */
  readonly startedAt: string;
  /** Duration in milliseconds of real time. */
  readonly milliseconds: number;
  /** If true, the run advanced the clock of a reference server instead of waiting. */
  readonly virtualTime: boolean;
  /** Undefined if every selected check ran. */
  readonly endedEarly: EarlyEnd | undefined;
  /** Cost of the run in credits. */
  readonly credits: {
    /** Maximum that the selected checks take from the live key. */
    readonly planned: number;
    /** Maximum for the whole run, or `Infinity`. Checks that would exceed it do not run. */
    readonly max: number;
    /** Credits that the checks took out of the budget. */
    readonly spent: number;
  };
  /** Results of the selected checks, also of those that did not run. */
  readonly checks: readonly CheckResult[];
  /** Observed behavior at each selected open point. */
  readonly observations: readonly Observation[];
  /** Observed values, for the option `profile` of `createMock`. */
  readonly profile: Profile;
}

/** Behavior of a deployment at the open points of the document, as options of the reference server. */
export interface Profile {
  /** Observed values by the name of their option. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Options that were not observable. */
  readonly unknown: readonly string[];
}
