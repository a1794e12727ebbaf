import type { CheckResult, Report } from "../report.ts";

/** How many checks ended how. */
export interface Counts {
  readonly kept: number;
  readonly broken: number;
  readonly skipped: number;
  /** Open points of which the value was seen, and all that were looked at. */
  readonly observed: number;
  readonly points: number;
}

export function countsOf({ checks, observations }: Report): Counts {
  const count = (status: CheckResult["status"]): number =>
    checks.filter((check) => check.status === status).length;
  return {
    kept: count("kept"),
    broken: count("broken"),
    skipped: count("skipped"),
    observed: observations.filter(({ value }) => value !== "unknown").length,
    points: observations.length,
  };
}

/** What came of a run, as a sentence. */
export function verdictOf(report: Report): string {
  const { kept, broken, skipped } = countsOf(report);
  if (broken > 0) return `The contract is broken in ${things(broken, "point")}.`;
  if (!report.complete) return "The run was ended early; what it came to is kept.";
  if (kept === 0) return "Nothing was looked at, so nothing is known.";
  return skipped === 0
    ? "The contract is kept."
    : `The contract is kept, as far as this run could see: ${things(skipped, "check")} left out.`;
}

/** Everything that was left out for one reason. */
export interface SkippedGroup {
  /** Why, and what would make it visible. */
  readonly reason: string;
  readonly checks: readonly CheckResult[];
}

/** What was left out, by its reason, the commonest reason first. */
export function skippedGroups({ checks }: Report): readonly SkippedGroup[] {
  const left = checks.filter(({ status }) => status === "skipped");
  return [...grouped(left, ({ message }) => message ?? "No reason was given.")]
    .map(([reason, same]) => ({ reason, checks: same }))
    .toSorted((a, b) => b.checks.length - a.checks.length);
}

/** Puts together what has the same word; `Map.groupBy` came with Node 21. */
export function grouped<Item>(
  items: readonly Item[],
  word: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(word(item));
    if (group === undefined) groups.set(word(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** The area of a check: the first word of its id. */
export function areaOf({ id }: { readonly id: string }): string {
  return id.split(".", 1)[0] ?? id;
}

export function things(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** The credits of a run, as a sentence. */
export function creditsOf({ credits: { most, spent } }: Report): string {
  return Number.isFinite(most)
    ? `${spent} of at most ${things(most, "credit")} spent`
    : `${things(spent, "credit")} of a reference server spent`;
}

export function seconds(milliseconds: number): string {
  return milliseconds < 9_950
    ? `${(milliseconds / 1_000).toFixed(1)} s`
    : `${Math.round(milliseconds / 1_000)} s`;
}
