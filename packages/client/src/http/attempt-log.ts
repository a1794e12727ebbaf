import type { Attempt, AttemptFailure } from "../types/attempt.ts";
import type { HttpResponse, Stage } from "./http-request.ts";

/** Outcome of one attempt. */
export type Outcome = { readonly response: HttpResponse } | Failure;

/** An attempt without a response. */
export interface Failure {
  readonly response?: undefined;
  /** `rate_limited`: it was not sent, since it would have to wait for the rate limit. */
  readonly failure: AttemptFailure | "rate_limited";
  readonly cause?: unknown;
  /** Scheme, host and port that the request was sent to. */
  readonly origin?: string;
  /** Last stage that the request got to. */
  readonly stage?: Stage | undefined;
  /** Delay until the rate limit allows the request, in milliseconds. */
  readonly requestedDelay?: number;
}

/** Returns the platform's code of a failure, from the error or its causes. */
export function failureCode(cause: unknown): string | undefined {
  const { code, cause: deeper } = Object(cause) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return deeper === cause ? undefined : failureCode(deeper);
}

// Possible side effects of an attempt at the service, from certain to uncertain.
/** Proof that nothing happened. */
const none = 0;
/** Another request with this key is in progress, possibly an earlier attempt. */
const conflict = 1;
/** Error of the service, which may have made the job. */
const serverError = 2;
/** Anything. */
const unknown = 3;

/** Statuses that prove `none` if the body has the form of the service's errors. */
const refusals = new Set([400, 401, 402, 403, 422, 429]);
/** Statuses that prove `none` with any body: a proxy sends them only for requests that it does not forward. */
const unforwarded = new Set([404, 405, 411, 413, 414, 415, 421, 431]);

/** Codes of failures before anything was sent, in Node (undici) and Bun. Browsers report no code. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$|CERT/;

/** Minimum duration of an attempt that counts as cut off, in milliseconds. */
const minCutDuration = 5_000;

/** Returns true if something between client and service may have cut off a synchronous attempt. */
export function isSyncCut({ duration, status }: Attempt): boolean {
  return duration >= minCutDuration && /undefined|408|50[24]|524/.test(String(status));
}

/** Attempts of one request, and their possible side effects at the service. */
export class AttemptLog {
  readonly attempts: Attempt[] = [];
  /** Number of attempts without an outcome: those in flight, and those that the caller has aborted. */
  open = 0;
  /** First attempt that may have had a side effect. */
  firstUncertain: Attempt | undefined;
  /** Least certain side effect of all attempts. */
  #sideEffect: number = none;

  /** Adds an attempt, and returns it. If `isRefused` is true, it had no side effect, whatever its status. */
  add(outcome: Outcome, startedAt: number, duration: number, isRefused = false): Attempt {
    this.open -= 1;
    const { response } = outcome;
    const attempt: Attempt = {
      startedAt,
      duration,
      // A request that the rate limiter refuses is never added.
      ...(response ? { status: response.status } : { failure: outcome.failure as AttemptFailure }),
    };
    this.attempts.push(attempt);
    const sideEffect = isRefused ? none : sideEffectOf(outcome);
    if (sideEffect > none) this.firstUncertain ??= attempt;
    this.#sideEffect = Math.max(this.#sideEffect, sideEffect);
    return attempt;
  }

  /** If true, an attempt may have made a job, or may be about to. A conflict makes none. */
  get mayHaveMadeJob(): boolean {
    return this.open > 0 || this.#sideEffect > conflict;
  }

  /** If true, the last outcome is as uncertain as any before it, and its error describes them all. */
  isExplainedBy(last: Outcome): boolean {
    const sideEffect = sideEffectOf(last);
    return sideEffect < unknown && sideEffect >= this.#sideEffect;
  }

  /**
   * If true, the service may have forgotten the idempotency key of a submission that may have arrived, so that it must not
   * be sent again.
   */
  isPast(idempotencyWindow: number, now: number): boolean {
    return now - (this.firstUncertain?.startedAt ?? now) > idempotencyWindow;
  }
}

/**
 * Returns the possible side effect of an attempt to submit. Only proof counts as `none`: a proxy may end a request in any
 * way while the service continues.
 */
function sideEffectOf(outcome: Outcome): number {
  const { response } = outcome;
  if (response === undefined) {
    const { failure, stage } = outcome;
    if (/^(unsent|rate_limited)$/.test(failure) || stage === "connecting") return none;
    const isBeforeSending = beforeSending.test(String(failureCode(outcome.cause)));
    return isBeforeSending ? none : unknown;
  }
  const { status, redirect, content } = response;
  // A 303 follows a completed request.
  if ((redirect && status !== 303) || unforwarded.has(status)) return none;
  if (status >= 500) return serverError;
  const { detail } = Object(content) as { detail?: unknown };
  const isServiceError = typeof detail === "string" || Array.isArray(detail);
  if (!isServiceError) return unknown;
  if (status === 409) return conflict;
  return refusals.has(status) ? none : unknown;
}
