import type { Attempt, AttemptFailure } from "../types/attempt.ts";
import type { Decision } from "./decide-next.ts";
import { conflict, none, rowOf, unknown, type Outcome } from "./outcome-table.ts";

export class AttemptLog {
  readonly attempts: Attempt[] = [];
  /** Number of attempts without an outcome: those in flight, and those that the caller has aborted. */
  open = 0;
  firstUncertain: Attempt | undefined;
  /** Least certain side effect of all attempts. */
  #sideEffect: number = none;
  #age: (() => number) | undefined;

  /** Adds an attempt. `age` returns the time since its start, by the clock that says more. */
  add(
    outcome: Outcome,
    startedAt: number,
    duration: number,
    { row, isCut }: Pick<Decision, "row"> & { readonly isCut?: boolean } = { row: rowOf(outcome) },
    age?: () => number,
  ): void {
    this.open -= 1;
    const { response } = outcome;
    const attempt: Attempt = {
      startedAt,
      duration,
      // A request that the rate limiter refuses is never added.
      ...(response ? { status: response.status } : { failure: outcome.failure as AttemptFailure }),
      ...(isCut && { isCut }),
    };
    this.attempts.push(attempt);
    if (row.proves > none) {
      this.firstUncertain ??= attempt;
      this.#age ??= age;
    }
    this.#sideEffect = Math.max(this.#sideEffect, row.proves);
  }

  /** If true, an attempt may have made a job, or may be about to. A conflict makes none. */
  get mayHaveMadeJob(): boolean {
    return this.open > 0 || this.#sideEffect > conflict;
  }

  /** If true, the last outcome is as uncertain as any before it, and its error describes them all. */
  isExplainedBy(last: Outcome): boolean {
    const { proves } = rowOf(last);
    return proves < unknown && proves >= this.#sideEffect;
  }

  /** Time since the submission may have arrived for the first time, in milliseconds. Undefined if it cannot have. */
  get age(): number | undefined {
    return this.#age?.();
  }

  /**
   * If true, the service may have forgotten the idempotency key of a submission that may have arrived, so that it must not
   * be sent again.
   */
  isPast(idempotencyWindow: number): boolean {
    return (this.age ?? 0) > idempotencyWindow;
  }
}
