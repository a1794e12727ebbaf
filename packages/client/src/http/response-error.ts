import type { Purpose } from "../types/middleware.ts";
import { ApiError, ConnectionError, OutcomeUnknownError } from "../errors/request-errors.ts";
import {
  isBranded,
  outcomeUnknownHint,
  type ApiErrorCode,
  type TryOnError,
} from "../errors/tryon-error.ts";
import { failureCode, isOfService, tooManyRefusals, type Outcome } from "./outcome-table.ts";
import {
  loadInTime,
  type CallContext,
  type Explanation,
  type HttpContext,
} from "./send-with-retries.ts";

const codes: Readonly<Record<string, ApiErrorCode>> = {
  401: "unauthorized",
  402: "insufficient_credits",
  purchase402: "payment_failed",
  403: "forbidden",
  404: "not_found",
  submit409: "idempotency_conflict",
  purchase409: "purchase_already_processed",
  413: "payload_too_large",
  422: "validation_failed",
  429: "rate_limited",
  503: "unavailable",
};

const foreignErrors = new WeakSet<object>();

/** Returns true for the error of a response that is not from the service, but from a firewall or another server. */
export function isForeign(error: object): boolean {
  return foreignErrors.has(error);
}

export async function responseError(
  outcome: Outcome,
  call: CallContext,
  http: Pick<HttpContext, "config" | "explain">,
): Promise<TryOnError> {
  const { attemptLog, job, submission } = call;
  const { response } = outcome;
  const { status = 0, requestId, rateLimit } = response ?? {};
  const { requestedDelay: delay } = response ?? outcome;
  const { attempts, firstUncertain } = attemptLog;
  const code = codeOf(outcome, call.purpose);
  const details = {
    // Browsers report status 0 for a redirect.
    status: status || undefined,
    requestId: http.config.redact(requestId),
    rateLimit,
    retryAfter: delay && delay / 1_000,
    attempts,
    job,
  };
  const { text, end, ...explained } = await explain(outcome, call, code, http);
  const unknown = firstUncertain && submission && { ...submission, hint: outcomeUnknownHint };
  const Class = status >= 400 || code === "rate_limited" ? ApiError : ConnectionError;
  const error =
    !response && isBranded(outcome.cause)
      ? outcome.cause
      : new Class(code, text, { ...details, ...explained, ...unknown });
  if (response && !isOfService(response.content)) foreignErrors.add(error);
  if (!submission || attemptLog.isExplainedBy(outcome)) return error;
  return new OutcomeUnknownError(
    `The try-on may have been made: the last attempt to submit it failed with ${error.code}${end}`,
    { ...details, ...submission, cause: error },
  );
}

function codeOf(
  outcome: Outcome,
  purpose: Purpose | undefined,
): ConnectionError["code"] | ApiErrorCode {
  const { response } = outcome;
  if (!response) {
    const { failure } = outcome;
    return /^(rate|timed)/.test(failure) ? (failure as "timed_out") : "connection_failed";
  }
  const { status, content, redirect } = response;
  if (redirect) return "redirected";
  const fields = content as { readonly code?: unknown } | undefined;
  if (fields?.code === tooManyRefusals) return tooManyRefusals;
  const otherCode =
    status < 400 ? "unexpected_response" : status < 500 ? "bad_request" : "server_error";
  return codes[`${purpose}${status}`] ?? codes[status] ?? otherCode;
}

/** Explains an outcome. A page that cannot load the texts in time gets a short one. */
async function explain(
  outcome: Outcome,
  call: CallContext,
  code: ReturnType<typeof codeOf>,
  { config, explain: load }: Pick<HttpContext, "config" | "explain">,
): Promise<Explanation> {
  const texts = await loadInTime(load, call.deadline);
  const cause = outcome.response ? undefined : failureCode(outcome.cause);
  return (
    texts?.explainOutcome(outcome, call, code, config, cause) ?? {
      text: `${call.name} failed: ${code}.`,
      end: ".",
    }
  );
}
