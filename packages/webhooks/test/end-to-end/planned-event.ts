import type { Fault, FaultPlan } from "./faults.ts";

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

/** One event whose attempts have planned faults, and its counters. */
export class PlannedEvent {
  readonly plan: FaultPlan;
  completions = 0;
  faults = 0;
  /** If true, the process is killed when it calls `done` next. */
  killBeforeDone = false;
  #lostCompletions = 0;
  #maxConcurrentHandlers = 0;
  #handlers = 0;

  constructor(plan: FaultPlan) {
    this.plan = plan;
  }

  get nextFault(): Fault | undefined {
    return this.plan[this.faults];
  }

  startHandler() {
    const { nextFault: fault = "" } = this;
    if (fault !== "") this.faults += 1;
    this.#handlers += 1;
    this.#maxConcurrentHandlers = Math.max(this.#maxConcurrentHandlers, this.#handlers);
    this.killBeforeDone = fault === "is killed before done";
    return {
      hangs: fault.startsWith("hangs"),
      isKilled: fault.endsWith("is killed"),
      fails: fault.endsWith("fails"),
    };
  }

  endHandler(succeeded: boolean): void {
    this.#handlers -= 1;
    if (succeeded) this.completions += 1;
  }

  /** Counts a kill, which ends all handlers. */
  killed(): void {
    if (this.killBeforeDone) this.#lostCompletions += 1;
    this.killBeforeDone = false;
    this.#handlers = 0;
  }

  /** Returns the outcome until now. */
  outcome(attempts: DeliveryOutcome["attempts"]): DeliveryOutcome {
    const { plan, completions, faults } = this;
    const lostCompletions = this.#lostCompletions;
    const maxConcurrentHandlers = this.#maxConcurrentHandlers;
    return { plan, completions, lostCompletions, maxConcurrentHandlers, faults, attempts };
  }
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
