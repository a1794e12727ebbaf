import type { HttpResponse } from "../http/response.ts";
import { failureCode, type Outcome } from "../http/attempt.ts";
import { readFieldIssues } from "../http/field-issues.ts";
import type { Redact } from "../errors/redact.ts";
import { requestedDelay } from "../http/retry-policy.ts";
import { errorResponse, jobNotFound } from "./error-response.ts";
import type { ProxyKind } from "./options.ts";

interface MappedError {
  readonly response: Response;
  /** Message for the operator, if the user cannot fix the error. */
  readonly error?: string;
}

const unavailable = "Try-ons are unavailable at the moment.";

/**
 * Maps an error of the service to a response for the user. Returns a 4xx only if the service itself rejected the request,
 * or any server did with 413: to the client, a 4xx proves that nothing happened. Other outcomes become a 5xx.
 */
export function mapErrorResponse(
  outcome: Outcome,
  kind: ProxyKind,
  redact: Redact,
  now: number,
): MappedError {
  const { response } = outcome;
  if (response === undefined) {
    const isTimeout = outcome.failure === "timed_out";
    // Only the code or message: errors of `fetch` can contain the whole request with its key.
    const { message = "" } = Object(outcome.cause) as { message?: unknown };
    const reason = redact(failureCode(outcome.cause)) || redact(message) || "unknown reason";
    return {
      response: errorResponse(isTimeout ? 504 : 502, unavailable),
      error: `The service sent no response${isTimeout ? " in time" : ""} (${reason}). Check baseUrl (TRYON_BASE_URL) and the network.`,
    };
  }
  const { status, content, redirect } = response;
  const { detail } = Object(content) as { detail?: unknown };
  const issues = readFieldIssues(detail, redact);
  const text = typeof detail === "string" ? redact(detail) : undefined;
  const headers = responseHeaders(response, now);
  if (status === 404 && kind === "get") return { response: jobNotFound() };
  if (status === 413) {
    return { response: errorResponse(413, "The body is larger than the service accepts.") };
  }
  if (status === 422 && issues) {
    const listed = issues.map(({ field, message, type = "value_error" }) => ({
      loc: ["body", ...field.split(".")],
      msg: message,
      type,
    }));
    return { response: errorResponse(422, listed, headers) };
  }
  if (text !== undefined) {
    if (status === 429) return { response: errorResponse(429, "Too many requests.", headers) };
    const isUserError = status === 400 || status === 409 || status === 422;
    if (isUserError || (status === 402 && kind === "purchase")) {
      return { response: errorResponse(status, text, headers) };
    }
  }
  const error = `The service responded with ${status}: ${text ?? "no detail."} ${adviceFor(status, redirect)}`;
  if (status >= 500) return { response: errorResponse(status, unavailable, headers), error };
  // Users must not learn that the key is wrong, locked or without credits.
  const isKeyError = [401, 402, 403, 429].includes(status);
  const mapped = isKeyError ? 503 : status === 408 ? 504 : 502;
  return { response: errorResponse(mapped, unavailable, headers), error };
}

/** Picks the response headers for the user; rate limit headers are left out because they describe the API key. */
export function responseHeaders(response: HttpResponse, now: number): Record<string, string> {
  const headers: Record<string, string> = {};
  const delay = requestedDelay(response, now);
  // Seconds in any case: a client would compare a date with a clock other than the service's.
  if (delay !== undefined) headers["retry-after"] = String(Math.ceil(delay / 1_000));
  if (response.headers.get("idempotent-replayed") === "true")
    headers["idempotent-replayed"] = "true";
  const { requestId } = response;
  if (requestId !== undefined && /^[\w.:-]{1,128}$/.test(requestId)) {
    headers["x-request-id"] = requestId;
  }
  return headers;
}

function adviceFor(status: number, redirect: boolean | undefined): string {
  if (redirect) return "Set baseUrl to the target of the redirect; the proxy does not follow it.";
  if (status === 401) return "Check apiKey (TRYON_API_KEY).";
  if (status === 402) return "Buy credits.";
  if (status === 403) return "Check the key on the provider's dashboard.";
  return status >= 500 || status === 429 ? "Try again later." : "Check baseUrl (TRYON_BASE_URL).";
}
