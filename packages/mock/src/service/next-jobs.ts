import type { Outcome } from "./outcome.ts";

/** How a job that is not there yet is to end. */
export interface PlannedOutcome {
  readonly outcome: Outcome;
  /** The key whose job it has to be, or null for any. */
  readonly apiKey: string | null;
}

/** What has been said about the next jobs: each word counts for one, the first said first. */
export class NextJobs {
  #queue: PlannedOutcome[] = [];

  add(job: PlannedOutcome): void {
    this.#queue.push(job);
  }

  /** What was said of the next job of this key; it counts for no other then. */
  take(apiKey: string): PlannedOutcome | undefined {
    if (this.#queue.length === 0) return undefined;
    const index = this.#queue.findIndex((job) => job.apiKey === null || job.apiKey === apiKey);
    return index === -1 ? undefined : this.#queue.splice(index, 1)[0];
  }

  /** Puts back, as the first, what a job that was not made has taken. */
  giveBack(job: PlannedOutcome | undefined): void {
    if (job !== undefined) this.#queue.unshift(job);
  }

  get state(): readonly PlannedOutcome[] {
    return [...this.#queue];
  }

  resume(state: readonly PlannedOutcome[]): void {
    this.#queue = [...state];
  }
}
