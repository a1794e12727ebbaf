import { levels, type Check, type Level, type Probe } from "./check.ts";
import type { KeyName } from "./target/keys.ts";

/** What a run is going to do, and what that may cost. */
export interface Plan {
  readonly checks: readonly Check[];
  readonly probes: readonly Probe[];
  /** The most credits that it may spend on a live key. */
  readonly credits: number;
}

/**
 * Chooses what is to be run.
 *
 * @param only beginnings of ids; none for all.
 * @param keys the keys that there are: what runs on a test key costs nothing.
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
