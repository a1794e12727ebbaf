import type { AttemptFailure } from "../types/attempt.ts";
import type { HttpResponse } from "./response.ts";

/** Outcome of one attempt. */
export type Outcome = { readonly response: HttpResponse } | Failure;

/** An attempt without a response. */
export interface Failure {
  readonly response: undefined;
  /** `rate_limited`: it was not sent, since it would have to wait `wait` milliseconds for the rate limit. */
  readonly failure: AttemptFailure | "rate_limited";
  readonly cause?: unknown;
  readonly wait?: number;
}

/** Returns the platform's code of a failure, from the error or its causes. */
export function failureCode(cause: unknown): string | undefined {
  const { code, cause: deeper } = Object(cause) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return deeper === undefined || deeper === cause ? undefined : failureCode(deeper);
}

const order = ["none", "conflict", "server error", "unknown"] as const;

/**
 * Possible side effect of an attempt at the service, from certain to uncertain. `none`: proof that nothing happened.
 * `conflict`: another request with this key is in progress, possibly an earlier attempt. `unknown`: anything.
 */
export type SideEffect = (typeof order)[number];

/** Returns true if the first side effect is less certain than the second. */
export function isLessCertain(one: SideEffect, other: SideEffect): boolean {
  return order.indexOf(one) > order.indexOf(other);
}

/** Statuses that prove `none` if the body has the form of the service's errors. */
const refusals = new Set([400, 401, 402, 403, 422, 429]);
/** Statuses that prove `none` with any body: a proxy sends them only for requests that it does not forward. */
const unforwarded = new Set([404, 405, 411, 413, 414, 415, 421, 431]);

/** Codes of failures before anything was sent, in Node (undici) and Bun. Browsers report no code. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$|CERT/;

/**
 * Returns the possible side effect of an attempt to submit. Only proof counts as `none`: a proxy may end a request in any
 * way while the service continues.
 */
export function sideEffectOf(outcome: Outcome): SideEffect {
  const { response } = outcome;
  if (response === undefined) {
    if (["unsent", "rate_limited"].includes(outcome.failure)) return "none";
    return beforeSending.test(String(failureCode(outcome.cause))) ? "none" : "unknown";
  }
  const { status, redirect, content } = response;
  // A 303 follows a completed request.
  if ((redirect && status !== 303) || unforwarded.has(status)) return "none";
  if (status >= 500) return "server error";
  if (!isServiceError(content)) return "unknown";
  if (status === 409) return "conflict";
  return refusals.has(status) ? "none" : "unknown";
}

function isServiceError(content: unknown): boolean {
  const { detail } = Object(content) as { detail?: unknown };
  return typeof detail === "string" || Array.isArray(detail);
}
