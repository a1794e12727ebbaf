import { isPage } from "#page";

import type { AttemptFailure } from "../types/attempt.ts";
import type { HttpResponse, Stage } from "./http-request.ts";

/** Code in the response of a proxy that sends no more submissions of a user. */
export const tooManyRefusals = "too_many_refusals";

export type Outcome = Received | Failure;

export interface Received {
  readonly response: HttpResponse;
  /** If true, a free request has shown that the service is not at this URL. */
  readonly isElsewhere?: boolean;
}

export interface Failure {
  readonly response?: undefined;
  /** `rate_limited`: it was not sent, since it would have to wait for the rate limit. */
  readonly failure: AttemptFailure | "rate_limited";
  readonly cause?: unknown;
  readonly origin?: string;
  readonly stage?: Stage | undefined;
  /** If true, this process itself refused to send the request. */
  readonly isBlocked?: boolean;
  /** Size of an upload that broke off, or may have, in bytes. */
  readonly brokenUpload?: number | undefined;
  readonly requestedDelay?: number;
}

// Possible side effects of an attempt at the service, from certain to uncertain.
export const none = 0;
export const conflict = 1;
export const serverError = 2;
export const unknown = 3;

/**
 * Next step after an attempt of a submission or purchase. `identify` finds out with a free request if the service responds at
 * this URL at all.
 */
type Step = "end" | "retry" | "identify";

export interface OutcomeRow {
  readonly proves: number;
  readonly next: Step;
  readonly matches: RegExp;
}

/**
 * Side effects and next steps of attempts of a submission or purchase. The first row that matches applies. The comments are the
 * names of the rows in `docs/guides/errors.md`.
 *
 * A gateway can respond with any status after it has forwarded a request, and elapsed time proves nothing. So a status proves
 * `none` only with JSON of the service, or if it rejects the size or form of a request, which a gateway checks first.
 * 404 and 405 prove nothing even then: a gateway can fetch its own error page from the service.
 */
export const outcomeTable: readonly OutcomeRow[] = [
  { proves: none, next: "end", matches: /un|ra/ }, // not sent
  { proves: none, next: "end", matches: /via 4(?!08|29)/ }, // refused by a forward proxy
  { proves: none, next: "retry", matches: /con|via/ }, // no connection
  { proves: none, next: "retry", matches: /upl/ }, // upload broken off
  { proves: none, next: "end", matches: /els/ }, // not the service
  { proves: none, next: "end", matches: /ref/ }, // refused by the proxy
  { proves: none, next: "end", matches: /4(?:1[1345]|[23]1)/ }, // form refused
  { proves: none, next: "end", matches: /ice 4(?:0[0-3]|22)/ }, // refused
  { proves: none, next: "retry", matches: /ice 429/ }, // rate limit
  { proves: conflict, next: "end", matches: /ice 409/ }, // key in use
  { proves: serverError, next: "retry", matches: /5../ }, // server error
  { proves: unknown, next: "identify", matches: /40[45]|3../ }, // page
  { proves: unknown, next: "end", matches: /ok/ }, // response
  { proves: unknown, next: "retry", matches: /./ }, // anything else
];

/** Returns the row of an outcome. `isProxy` is true for a client without a key, whose proxy adds its own. */
export function rowOf(outcome: Outcome, isProxy?: boolean): OutcomeRow {
  const text = describeOutcome(outcome, isProxy);
  // The last row matches any text.
  return outcomeTable.find(({ matches }) => matches.test(text)) as OutcomeRow;
}

/** Codes of failures before anything was sent, in Node (undici) and Bun. Browsers report no code. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$|CERT/;

export function isBeforeSending(cause: unknown): boolean {
  return !isPage && beforeSending.test(String(failureCode(cause)));
}

/** Codes of errors that a permission of Node, or a mock without a match, raises instead of sending a request. */
const blocked = /^(ERR_ACCESS_DENIED|ERR_NOCK_NO_MATCH|UND_MOCK_ERR_MOCK_NOT_MATCHED)$/;

/** Messages without such a code. nock uses that of an unreachable network for a forbidden connection. */
const blockedText = /^(Nock: |\[MSW\] Cannot bypass|fetch-mock: No response)/;

/** Returns true if this process itself refused to send the request, as it would refuse a retry. */
export function isBlocked(error: unknown, depth = maxCauses): boolean {
  if (!error || depth === 0) return false;
  const { code, message, cause } = Object(error) as Record<string, unknown>;
  const isOwn =
    (typeof code === "string" && blocked.test(code)) ||
    (typeof message === "string" && blockedText.test(message));
  return isOwn || isBlocked(cause, depth - 1);
}

function describeOutcome(outcome: Outcome, isProxy?: boolean): string {
  const { response } = outcome;
  if (!response) {
    const { failure, stage, cause } = outcome;
    if (/un|ra/.test(failure)) return failure;
    if (stage === "lost") return stage;
    // The client itself uses this proxy.
    const { proxyStatus } = Object(cause) as { proxyStatus?: unknown };
    if (!isPage && proxyStatus) return `via ${Number(proxyStatus)}`;
    if (!isPage && outcome.isBlocked) return "unsent";
    if (isBeforeSending(cause)) return "connecting";
    return stage ?? "lost";
  }
  const { redirect, content } = response;
  // Browsers report status 0 for a redirect.
  const status = response.status || (redirect ? 307 : 0);
  if (outcome.isElsewhere) return "elsewhere";
  // Only the proxy of this package responds so: the service refused the request.
  const fields = content as { readonly retryable?: unknown } | undefined;
  if (isProxy && fields?.retryable === false && /412|429|503/.test(`${status}`)) return "refused";
  if (response.response.ok && content === Object(content)) return "ok";
  return `${isOfService(content) ? "service" : "other"} ${status}`;
}

export function isOfService(content: unknown): boolean {
  const { detail } = Object(content) as { detail?: unknown };
  return typeof detail === "string" || Array.isArray(detail);
}

/** Maximum number of causes of an error that are read. Errors of others can form a ring. */
const maxCauses = 9;

export function failureCode(cause: unknown): string | undefined {
  for (let depth = 0, error = cause; depth < maxCauses; depth += 1) {
    const { code, cause: deeper } = Object(error) as { code?: unknown; cause?: unknown };
    if (typeof code === "string") return code;
    error = deeper;
  }
  return undefined;
}
