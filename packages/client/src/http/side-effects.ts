import { failureCode, type Outcome } from "./outcome.ts";

const order = ["none", "conflict", "server error", "unknown"] as const;

/**
 * What an attempt may have done at the service, from certain to uncertain. `none`: nothing, as proven. `conflict`: the key
 * is in use, by another try-on or by this one, which is still being worked on. `unknown`: anything.
 */
export type SideEffect = (typeof order)[number];

/** Returns true if the first side effect is less certain than the second. */
export function isLessCertain(one: SideEffect, other: SideEffect): boolean {
  return order.indexOf(one) > order.indexOf(other);
}

/** Statuses that prove `none` if the body is an error of the service itself. */
const refusals = new Set([400, 401, 402, 403, 422, 429]);
/** Statuses that any server at the address, also a proxy, sends only for a request that it did not pass on. */
const unreceived = new Set([404, 405, 411, 413, 414, 415, 421, 431]);

/** Codes of failures before anything was sent, in Node (undici) and Bun. Browsers report none. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$|CERT/;

/**
 * Returns what an attempt to submit may have done, by its outcome. Only proof counts as `none`: a proxy may end a request
 * in any way while the service works on.
 */
export function sideEffectOf(outcome: Outcome): SideEffect {
  const { response } = outcome;
  if (response === undefined) {
    if (["unsent", "rate_limited"].includes(outcome.failure)) return "none";
    return beforeSending.test(String(failureCode(outcome.cause))) ? "none" : "unknown";
  }
  const { status, redirect, content } = response;
  // A 303 means that the work is done.
  if ((redirect && status !== 303) || unreceived.has(status)) return "none";
  if (status >= 500) return "server error";
  if (!isServiceError(content)) return "unknown";
  if (status === 409) return "conflict";
  return refusals.has(status) ? "none" : "unknown";
}

function isServiceError(content: unknown): boolean {
  const { detail } = Object(content) as { detail?: unknown };
  return typeof detail === "string" || Array.isArray(detail);
}
