import { failureCode, type Outcome } from "./attempt.ts";

/** It is proved that nothing happened. */
export const nothing = 0;
/** The key is taken, by another try-on or by this one, which is still being worked on. */
export const conflict = 1;
const serverError = 2;
/** Anything may have happened. */
export const anything = 3;

/** What an attempt may have done at the service; the higher, the less is known. */
export type Effect = typeof nothing | typeof conflict | typeof serverError | typeof anything;

/** Refusals when the service's own words say them: it looked at this request and did nothing. */
const refusals = new Set([400, 401, 402, 403, 422, 429]);
/** Said by whatever answers at the address, also by proxies, when the request was not handed on to anything. */
const unreceived = new Set([404, 405, 411, 413, 414, 415, 421, 431]);

/** The codes of failures before anything was sent, in Node (and its undici) and Bun. Browsers do not say. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$|CERT/;

/**
 * What an attempt to submit may have done, by how it ended. Only proof counts as nothing: a proxy may end a call in
 * any way that it likes while the service works on.
 */
export function effectOf(outcome: Outcome): Effect {
  const { answer } = outcome;
  if (answer === undefined) {
    if (/^(unsent|rate)/.test(outcome.failure)) return nothing;
    return beforeSending.test(failureCode(outcome.cause) ?? "") ? nothing : anything;
  }
  const { status, redirect, content } = answer;
  // A 303 says that the work is done and where to look.
  if ((redirect && status !== 303) || unreceived.has(status)) return nothing;
  if (status >= 500) return serverError;
  if (!isServiceError(content)) return anything;
  if (status === 409) return conflict;
  return refusals.has(status) ? nothing : anything;
}

function isServiceError(content: unknown): boolean {
  const { detail } = Object(content) as { detail?: unknown };
  return typeof detail === "string" || Array.isArray(detail);
}
