import type { FaultPlan } from "./faults.ts";

/** Outcome of one event. */
export interface DeliveryOutcome {
  readonly plan: FaultPlan;
  readonly jobId: string;
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

/** Violations of many events, each with its faults. */
export function allViolations(outcomes: readonly DeliveryOutcome[]): readonly string[] {
  return outcomes.flatMap((outcome) =>
    violations(outcome).map((text) => `${outcome.plan.join(", then ") || "no fault"}: ${text}`),
  );
}
