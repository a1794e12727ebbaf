import type { Attempt, AttemptFailure } from "../types/attempt.ts";
import { isLessCertain, sideEffectOf, type Outcome, type SideEffect } from "./outcome.ts";

/** Attempts of one request, and their possible side effects at the service. */
export class AttemptLog {
  readonly attempts: Attempt[] = [];
  /** Number of attempts without an outcome: those in flight, and those that the caller has aborted. */
  open = 0;
  /** Start of the first attempt that may have had a side effect, in milliseconds since 1970. */
  uncertainSince: number | undefined;
  /** If true, the last attempt is the first that may have had a side effect. */
  lastIsFirstUncertain = false;
  /** Least certain side effect of all attempts. */
  #sideEffect: SideEffect = "none";

  add(outcome: Outcome, startedAt: number, duration: number): void {
    this.open -= 1;
    const sideEffect = sideEffectOf(outcome);
    this.lastIsFirstUncertain = !this.isUncertain && sideEffect !== "none";
    if (this.lastIsFirstUncertain) this.uncertainSince = startedAt;
    if (isLessCertain(sideEffect, this.#sideEffect)) this.#sideEffect = sideEffect;
    const { response } = outcome;
    this.attempts.push({
      startedAt,
      duration,
      // A request that the rate limiter refuses is never added.
      ...(response ? { status: response.status } : { failure: outcome.failure as AttemptFailure }),
    });
  }

  /** If true, an attempt may have had a side effect. */
  get isUncertain(): boolean {
    return this.uncertainSince !== undefined;
  }

  /** If true, an attempt may have made a job, or may be about to. A conflict makes none. */
  get mayHaveMadeJob(): boolean {
    return this.open > 0 || isLessCertain(this.#sideEffect, "conflict");
  }

  /** If true, the last outcome is as uncertain as any before it, and its error describes them all. */
  isExplainedBy(last: Outcome): boolean {
    const sideEffect = sideEffectOf(last);
    return sideEffect !== "unknown" && !isLessCertain(this.#sideEffect, sideEffect);
  }

  /**
   * If true, the service may have forgotten the idempotency key of a submission that may have arrived, so that it must not
   * be sent again.
   */
  isPast(idempotencyWindow: number, now: number): boolean {
    return now - (this.uncertainSince ?? now) > idempotencyWindow;
  }
}
