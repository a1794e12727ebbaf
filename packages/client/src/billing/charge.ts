import type { Counted } from "../types/budget.ts";

/** State of a charge. */
export type ChargeState =
  /** The submission is in flight, or its job has no known cost yet. */
  | "reserved"
  /** The service has made the job and stated its cost. */
  | "charged"
  /** The service may have made the job. */
  | "unknown"
  /** The submission made no job, or a job that another charge counts. */
  | "released";

/** Submission as its budgets count it. */
export interface ChargePlan {
  /** Output size, as it is sent. */
  readonly size: unknown;
  readonly idempotencyKey: string;
  readonly budgets: readonly Counted[];
}

/** Fields of a job that decide what it costs. */
export interface JobCost {
  readonly job_id: string;
  readonly status: string;
  readonly cost_credits?: number | undefined;
  readonly test_mode?: boolean | undefined;
}

/** Credits of one submission. */
export class Charge {
  readonly plan: ChargePlan;
  /** Time before the first attempt, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Cost in credits: the price until the service states it. */
  #credits: number;
  #state: ChargeState = "released";
  /** Job of the submission, once known. */
  jobId: string | undefined;

  constructor(plan: ChargePlan, credits: number, createdAt: number) {
    this.plan = plan;
    this.#credits = credits;
    this.createdAt = createdAt;
  }

  get state(): ChargeState {
    return this.#state;
  }

  /** Changes the state, and counts the difference in the budgets. */
  change(state: ChargeState, credits = this.#credits): void {
    const before = this.#amounts();
    this.#state = state;
    this.#credits = credits;
    const { spent, reserved } = this.#amounts();
    for (const budget of this.plan.budgets) {
      budget.count(spent - before.spent, reserved - before.reserved);
    }
  }

  #amounts(): { readonly spent: number; readonly reserved: number } {
    const isReserved = this.#state === "reserved" || this.#state === "unknown";
    return {
      spent: this.#state === "charged" ? this.#credits : 0,
      reserved: isReserved ? this.#credits : 0,
    };
  }
}
