import { levels, type Check, type Level, type Probe } from "./check.ts";
import type { KeyName } from "./target/keys.ts";

/** Checks and probes of a run, and their maximum cost. */
export interface Plan {
  readonly checks: readonly Check[];
  readonly probes: readonly Probe[];
  /** Maximum credits that they take from a live key. */
  readonly credits: number;
}

/**
 * Selects the checks and probes of a run.
 *
 * @param only prefixes of ids, or none for all.
 * @param keys of the run. Checks on a test key cost nothing.
 */
export function makePlan(
  all: { readonly checks: readonly Check[]; readonly probes: readonly Probe[] },
  level: Level,
  only: readonly string[],
  keys: ReadonlySet<KeyName>,
): Plan {
  const wanted = (check: { readonly id: string; readonly level: Level }): boolean =>
    levels.indexOf(check.level) <= levels.indexOf(level) &&
    (only.length === 0 || only.some((start) => check.id.startsWith(start)));
  const checks = all.checks.filter(wanted);
  const probes = all.probes.filter(wanted);
  const credits = [...checks, ...probes]
    .filter(({ on }) => on === "live" || (on === "any" && !keys.has("test")))
    .reduce((sum, check) => sum + check.credits, 0);
  return { checks, probes, credits };
}
