import spec from "@tryon/spec/rules.json" with { type: "json" };

import type { Session } from "./session.ts";
import type { KeyKind } from "./target/keys.ts";

/**
 * Levels of a run. `safe` costs nothing with a test key. `paid` adds checks that need a live key. `full` adds slow checks,
 * such as the 90 s limit, the retries of webhooks and expiry.
 */
export const levels = ["safe", "paid", "full"] as const;
/**
 * Level of a run, see `levels`.
 *
 * @useDeclaredType
 */
export type Level = (typeof levels)[number];

/** Check of one behavior of a deployment. */
export interface Check {
  /** Words with dots between them, from general to particular, such as `idempotency.replay.free`. */
  readonly id: string;
  /** Required behavior, as a sentence that begins with its verb. */
  readonly title: string;
  /** Rules of `spec/rules.json` that it covers. */
  readonly rules: readonly string[];
  readonly level: Level;
  /** Kind of key that it works on. */
  readonly on: KeyKind;
  /** Maximum credits that it spends if that key is a live one. */
  readonly credits: number;
  /** If true, it works on a new key, where the kit can make keys. */
  readonly ownKey?: boolean;
  /** @throws CheckFailure when the deployment fails it, SkipCheck when the behavior is not observable in this run. */
  readonly run: (session: Session) => Promise<void>;
}

/** Observation of one open point of the service's document. */
export interface Probe extends Omit<Check, "run"> {
  /** Option of the reference server for the open point. */
  readonly option: string;
  /**
   * @returns the value of the option, or undefined when this run cannot tell.
   * @throws CheckFailure for a behavior that no value allows, SkipCheck when it is not observable in this run.
   */
  readonly observe: (session: Session) => Promise<OptionValue | undefined>;
}

/** Value of an option. */
export type OptionValue = string | number | boolean;

const openRules = spec.rules.filter((rule) => rule.open === true);
const openIds = new Set(openRules.map(({ id }) => id));

/** Makes probes by option, each with the rules that its option settles. A row may have its own level, key or credits. */
export function probeGroup(
  credits: number,
  rows: Readonly<Record<string, Pick<Probe, "title" | "observe"> & Partial<Omit<Probe, "option">>>>,
): readonly Probe[] {
  return Object.entries(rows).map(([option, row]) => ({
    id: `observed.${option}`,
    rules: openRules.filter(({ options }) => options?.includes(option)).map(({ id }) => id),
    level: "safe",
    on: "any",
    credits,
    option,
    ...row,
  }));
}

/** If true, the document leaves open what a check with these rules requires, so the check cannot fail. */
export function areOpen(rules: readonly string[]): boolean {
  return rules.every((rule) => openIds.has(rule));
}
