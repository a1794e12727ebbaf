import type { Counted } from "../types/budget.ts";

/** State of a charge. */
export type ChargeState =
  /** A submission is in flight, or the cost of its job is unknown. */
  | "reserved"
  /** The service has made a job and stated its cost. */
  | "charged"
  /** The service may have made a job. */
  | "unknown"
  /** The service has made no job, or one that is counted elsewhere. */
  | "released";

/** Fields of a job that decide its cost. */
export interface JobCost {
  readonly job_id: string;
  readonly status: string;
  readonly cost_credits?: number | undefined;
  readonly test_mode?: boolean | undefined;
}

/** Credits of the submissions under one idempotency key, which make one job at most. */
export class Charge {
  /** Time before the first submission, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly #budgets = new Set<Counted>();
  /** Cost in credits: the price until the service states it. */
  #credits: number;
  #jobId: string | undefined;
  #inFlight = 0;
  #mayHaveMadeJob = false;
  #isCostKnown = false;
  #isCountedElsewhere = false;
  #counted = { spent: 0, reserved: 0 };

  constructor(credits: number, createdAt: number) {
    this.#credits = credits;
    this.createdAt = createdAt;
  }

  get credits(): number {
    return this.#credits;
  }

  get jobId(): string | undefined {
    return this.#jobId;
  }

  get state(): ChargeState {
    if (this.#isCountedElsewhere) return "released";
    if (this.#mayHaveMadeJob && this.#jobId !== undefined) {
      return this.#isCostKnown ? "charged" : "reserved";
    }
    if (this.#inFlight > 0) return "reserved";
    return this.#mayHaveMadeJob ? "unknown" : "released";
  }

  /** Returns true if a budget counts this charge. */
  isIn(budget: Counted): boolean {
    return this.#budgets.has(budget);
  }

  /** Starts a submission, and counts the charge in its budgets. */
  start(budgets: readonly Counted[]): void {
    this.#inFlight += 1;
    this.#count();
    for (const budget of budgets) {
      this.#budgets.add(budget);
      budget.count(this.#counted.spent, this.#counted.reserved);
    }
  }

  /** Ends a submission. */
  end(mayHaveMadeJob: boolean): void {
    this.#inFlight -= 1;
    this.#mayHaveMadeJob ||= mayHaveMadeJob;
    this.#count();
  }

  /** Sets the job, which another charge may count. */
  setJob(jobId: string, isCountedElsewhere: boolean): void {
    this.#jobId = jobId;
    this.#isCountedElsewhere = isCountedElsewhere;
    this.#count();
  }

  /** Sets the final cost: the one that the service has stated, or else the price. */
  setCost(credits = this.#credits): void {
    this.#credits = credits;
    this.#isCostKnown = true;
    this.#count();
  }

  #count(): void {
    const { state } = this;
    const isReserved = state === "reserved" || state === "unknown";
    const before = this.#counted;
    const spent = state === "charged" ? this.#credits : 0;
    const reserved = isReserved ? this.#credits : 0;
    for (const budget of this.#budgets) {
      budget.count(spent - before.spent, reserved - before.reserved);
    }
    this.#counted = { spent, reserved };
    // The next submission counts in its own budgets.
    if (state === "released") this.#budgets.clear();
  }
}
