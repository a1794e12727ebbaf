import type { Level, OptionValue } from "./check.ts";

/** What came of one check. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly level: Level;
  readonly status: "kept" | "broken" | "skipped";
  /** What is wrong, or why it was not looked at; keys are masked. */
  readonly message: string | undefined;
  /** The call that shows it, as a line for a shell; keys are masked. */
  readonly curl: string | undefined;
  /** The credits that it took out of the budget. */
  readonly credits: number;
  /** How long it took, in milliseconds of this machine. */
  readonly milliseconds: number;
}

/** How a deployment settles an open point. */
export interface Observation {
  readonly id: string;
  readonly option: string;
  readonly title: string;
  readonly rules: readonly string[];
  /** The value that was seen, or `unknown`. */
  readonly value: OptionValue;
  /** Why it is unknown. */
  readonly message: string | undefined;
  /** Deviations from the document that it explains. */
  readonly deviations: readonly string[];
}

/** What came of a run. */
export interface Report {
  readonly baseUrl: string;
  readonly level: Level;
  /** When it began, ISO 8601. */
  readonly startedAt: string;
  readonly milliseconds: number;
  /** Whether time was moved and not waited for. */
  readonly virtualTime: boolean;
  /** Whether the run came to its end; what it did not come to is skipped. */
  readonly complete: boolean;
  readonly credits: { readonly planned: number; readonly most: number; readonly spent: number };
  readonly checks: readonly CheckResult[];
  readonly observations: readonly Observation[];
  readonly profile: Profile;
}

/** How a deployment settles what the document leaves open, to be given to the reference server. */
export interface Profile {
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Options that could not be seen. */
  readonly unknown: readonly string[];
}
