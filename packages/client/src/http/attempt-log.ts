import type { Attempt, AttemptFailure } from "../types/attempt.ts";
import type { Outcome } from "./outcome.ts";
import { lessCertain, sideEffectOf, type SideEffect } from "./side-effects.ts";

/** Attempts of one request, and what they may have done at the service. */
export class AttemptLog {
  readonly attempts: Attempt[] = [];
  /** Start of the first attempt that may have had a side effect, in milliseconds since 1970. */
  uncertainSince: number | undefined;
  /** If true, an attempt is being sent. */
  sending = false;
  #leastCertain: SideEffect = "none";
  #firstUncertain = 0;

  add(outcome: Outcome, startedAt: number, duration: number): void {
    const effect = sideEffectOf(outcome);
    this.sending = false;
    this.#leastCertain = lessCertain(this.#leastCertain, effect);
    if (effect !== "none" && this.uncertainSince === undefined) {
      this.uncertainSince = startedAt;
      this.#firstUncertain = this.attempts.length + 1;
    }
    const { response } = outcome;
    this.attempts.push({
      startedAt,
      duration,
      // A request that the rate limiter refuses is no attempt and is not added.
      ...(response ? { status: response.status } : { failure: outcome.failure as AttemptFailure }),
    });
  }

  /** If true, an attempt may have had a side effect. */
  get isUncertain(): boolean {
    return this.uncertainSince !== undefined;
  }

  /** If true, an attempt may have made a job, or may be about to. A conflict makes none. */
  get mayHaveMadeJob(): boolean {
    return this.sending || !["none", "conflict"].includes(this.#leastCertain);
  }

  /** If true, the last attempt is the first that may have had a side effect. */
  get lastIsFirstUncertain(): boolean {
    return this.#firstUncertain === this.attempts.length;
  }

  /** If true, the last outcome says as much as can be said about all attempts. */
  isExplainedBy(last: Outcome): boolean {
    return this.#leastCertain !== "unknown" && this.#leastCertain === sideEffectOf(last);
  }

  /**
   * If true, the service may have forgotten the idempotency key of a submission that may have arrived, so that it must not
   * be sent again.
   */
  isPast(idempotencyWindow: number, now: number): boolean {
    return now - (this.uncertainSince ?? now) > idempotencyWindow;
  }
}
