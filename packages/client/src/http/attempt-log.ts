import type { Attempt, AttemptFailure } from "../types/attempt.ts";
import type { Outcome } from "./outcome.ts";
import { isLessCertain, sideEffectOf, type SideEffect } from "./side-effects.ts";

/** Attempts of one request, and what they may have done at the service. */
export class AttemptLog {
  readonly attempts: Attempt[] = [];
  /** Number of attempts without an outcome: those in flight, and those that the caller has aborted. */
  open = 0;
  readonly #effects: SideEffect[] = [];

  add(outcome: Outcome, startedAt: number, duration: number): void {
    this.open -= 1;
    this.#effects.push(sideEffectOf(outcome));
    const { response } = outcome;
    this.attempts.push({
      startedAt,
      duration,
      // A request that the rate limiter refuses is no attempt and is not added.
      ...(response ? { status: response.status } : { failure: outcome.failure as AttemptFailure }),
    });
  }

  /** Start of the first attempt that may have had a side effect, in milliseconds since 1970. */
  get uncertainSince(): number | undefined {
    return this.attempts[this.#firstUncertain]?.startedAt;
  }

  /** If true, an attempt may have had a side effect. */
  get isUncertain(): boolean {
    return this.#firstUncertain >= 0;
  }

  /** If true, an attempt may have made a job, or may be about to. A conflict makes none. */
  get mayHaveMadeJob(): boolean {
    return this.open > 0 || this.#effects.some((effect) => isLessCertain(effect, "conflict"));
  }

  /** If true, the last attempt is the first that may have had a side effect. */
  get lastIsFirstUncertain(): boolean {
    return this.#firstUncertain === this.attempts.length - 1;
  }

  /** If true, the last outcome says as much as can be said about all attempts. */
  isExplainedBy(last: Outcome): boolean {
    const known = sideEffectOf(last);
    return known !== "unknown" && !this.#effects.some((effect) => isLessCertain(effect, known));
  }

  /**
   * If true, the service may have forgotten the idempotency key of a submission that may have arrived, so that it must not
   * be sent again.
   */
  isPast(idempotencyWindow: number, now: number): boolean {
    return now - (this.uncertainSince ?? now) > idempotencyWindow;
  }

  get #firstUncertain(): number {
    return this.#effects.findIndex((effect) => effect !== "none");
  }
}
