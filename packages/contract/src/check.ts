import spec from "@tryon/spec/rules.json" with { type: "json" };

import type { Memory } from "./seen/memory.ts";
import type { Seen } from "./seen/seen.ts";
import { openPoints, type Evidence, type OptionValue } from "./open-points.ts";
import type { Deviation } from "./schema-checks.ts";
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

export interface Check {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly level: Level;
  readonly on: KeyKind;
  readonly credits: number;
  /** If true, it works on a new key, where the kit can make keys. */
  readonly ownKey?: boolean;
  /** @throws CheckFailure when the deployment fails it, SkipCheck when the behavior is not observable in this run. */
  readonly run: (session: Session) => Promise<void>;
}

type Judge = (seen: Seen, memory: Memory) => Evidence;

interface Explains {
  /**
   * Set for an option that decides between statuses. Returns true for requests where it may, also if neither response
   * shows its value.
   */
  readonly status?: (recorded: Seen) => boolean;
  readonly headers?: RegExp;
  readonly fieldsOf?: string;
  readonly end?: true;
  readonly deviation?: Deviation;
}

export interface Probe extends Omit<Check, "run"> {
  readonly option: string;
  /**
   * Sends requests whose exchanges show the value.
   *
   * @returns a value of the option if its requests show it together, and no exchange alone. Others are ignored.
   * @throws CheckFailure for a behavior that no value allows, SkipCheck when it is not observable in this run.
   */
  readonly provoke: (session: Session) => Promise<unknown>;
  /** Missing if recorded traffic never shows the value. */
  readonly judge?: Judge;
  /** Value that one exchange proves, although others look like another value. */
  readonly decisive?: OptionValue;
  readonly explains?: Explains;
}

const openIds = new Set(spec.rules.filter((rule) => rule.open === true).map(({ id }) => id));

export function probeGroup(
  credits: number,
  rows: Readonly<Record<string, Pick<Probe, "provoke"> & Partial<Omit<Probe, "option">>>>,
): readonly Probe[] {
  return Object.entries(rows).map(([option, row]) => ({
    id: `observed.${option}`,
    title: openPoints.get(option)?.summary ?? option,
    rules: openPoints.get(option)?.rules ?? [],
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
