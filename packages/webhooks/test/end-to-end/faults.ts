export type Fault =
  | "fails"
  | "hangs and ends"
  | "hangs and fails"
  | "redirects"
  | "is down"
  | "is killed"
  | "is killed before done"
  | "hangs and is killed";

/** Faults of an event, in order. The service makes four attempts. */
export type FaultPlan = readonly Fault[];

export type FaultCosts = Readonly<Record<Fault, number>>;

/** Costs with claims of less than 9 s. An attempt that waits for a handler is lost with its process. */
const shortClaimCosts: FaultCosts = {
  fails: 1,
  "hangs and ends": 1,
  "hangs and fails": 1,
  redirects: 1,
  "is down": 1,
  "is killed": 1,
  "is killed before done": 1,
  "hangs and is killed": 2,
};

/** Costs with claims of 15 s, which outlast the wait of the next attempt. */
export const longClaimCosts: FaultCosts = {
  ...shortClaimCosts,
  "is killed": 2,
  "is killed before done": 2,
  "hangs and is killed": 3,
};

/** Every order of faults that cost at most `maxAttempts`, including no fault. */
export function plansUpTo(maxAttempts: number, costs = shortClaimCosts): readonly FaultPlan[] {
  // The record has every fault as a key.
  const faults = Object.keys(costs) as Fault[];
  const possible = faults.filter((fault) => costs[fault] <= maxAttempts);
  return [
    [],
    ...possible.flatMap((fault) =>
      plansUpTo(maxAttempts - costs[fault], costs).map((rest) => [fault, ...rest]),
    ),
  ];
}

export interface DeliveryOutcome {
  readonly plan: FaultPlan;
  /** Number of successful runs of its handler. */
  readonly completions: number;
  /** Number of completions after which the process was killed before `done` was stored. */
  readonly lostCompletions: number;
  readonly maxConcurrentHandlers: number;
  /** Number of planned faults that occurred. */
  readonly faults: number;
  /** Status of each attempt, or `null` if the service got no response. */
  readonly attempts: readonly (number | null)[];
}

/** Violations of the promise that an event is handled once, or again after a lost completion. */
export function violations(outcome: DeliveryOutcome): readonly string[] {
  const { completions, lostCompletions, maxConcurrentHandlers } = outcome;
  return [
    ...(completions === 0 ? ["never handled"] : []),
    ...(completions > 0 && completions === lostCompletions ? ["handled, never recorded"] : []),
    ...(completions - lostCompletions > 1 ? ["handled again after it was recorded"] : []),
    ...(maxConcurrentHandlers > 1 ? ["handled concurrently"] : []),
  ];
}

export function allViolations(outcomes: readonly DeliveryOutcome[]): readonly string[] {
  return outcomes.flatMap((outcome) =>
    violations(outcome).map((text) => `${outcome.plan.join(", then ") || "no fault"}: ${text}`),
  );
}
