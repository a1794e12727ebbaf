import { failureCode, type Outcome } from "./attempt.ts";

/** What an attempt may have done at the service. */
export type Effect = "none" | "server_error" | "unknown";

/** Refusals in the service's own words: it looked at this request and did nothing. A 409 speaks of another one. */
const refusals = new Set([400, 401, 402, 403, 409, 422, 429]);
/** Said by whatever answers at the address, also by proxies, when the request was not handed on to anything. */
const unreceived = new Set([404, 405, 411, 413, 414, 415, 421, 431]);

/** The codes of failures before a connection stands, in Node (and its undici) and Bun. Browsers do not say. */
const beforeConnection = new Set<unknown>([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
]);

/**
 * What an attempt to submit may have done, by how it ended. Only proof counts as "none": a proxy may end a call in
 * any way that it likes while the service works on.
 */
export function effectOf(outcome: Outcome): Effect {
  const { answer } = outcome;
  if (answer === undefined) {
    return beforeConnection.has(failureCode(outcome.cause)) ? "none" : "unknown";
  }
  const { status, redirect } = answer;
  if (redirect || unreceived.has(status)) return "none";
  if (refusals.has(status)) return isServiceError(answer.content) ? "none" : "unknown";
  return status >= 500 ? "server_error" : "unknown";
}

function isServiceError(content: unknown): boolean {
  const { detail } = Object(content) as { detail?: unknown };
  return typeof detail === "string" || Array.isArray(detail);
}
