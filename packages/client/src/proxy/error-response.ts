import { failureCode, type Outcome } from "../http/attempt-log.ts";
import { readFieldIssues } from "../http/response-error.ts";
import type { Redact } from "../errors/redact.ts";
import type { HttpResponse } from "../http/response.ts";
import { requestedDelay } from "../http/retry-policy.ts";
import type { ProxyKind } from "./options.ts";

/** Validation error of a body, in the format of the service. */
export interface BodyIssue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

type ResponseHeaders = Readonly<Record<string, string>>;

/** Creates a JSON response that caches must not store. */
export function jsonResponse(status: number, body: unknown, headers?: ResponseHeaders): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** Creates an error response in the service's format. A 4xx proves to clients that the request had no effect. */
export function errorResponse(
  status: number,
  detail: string | readonly BodyIssue[],
  headers?: ResponseHeaders,
): Response {
  return jsonResponse(status, { detail }, headers);
}

/** Creates a response to a body with one invalid field. */
export function invalidField(loc: readonly string[], type: string, msg: string): Response {
  return errorResponse(422, [{ loc, msg, type }]);
}

/** Creates the same response for jobs that do not exist and for jobs of other users. */
export function jobNotFound(): Response {
  return errorResponse(404, "Job not found.");
}

const unavailable = "Try-ons are unavailable at the moment.";
const tooManyRequests = "Too many requests.";

/**
 * Maps an error of the service to a response for the user, and reports those that the user cannot fix. The response is a
 * 4xx only if the service itself rejected the request, or any server did with 413: to the client, a 4xx proves that
 * nothing happened. Other outcomes become a 5xx.
 */
export function mapErrorResponse(
  outcome: Outcome,
  kind: ProxyKind,
  redact: Redact,
  now: number,
  report: (message: string) => void,
): Response {
  const { response } = outcome;
  if (response === undefined) {
    const isTimeout = outcome.failure === "timed_out";
    // Only the code or message: errors of `fetch` can contain the whole request with its key.
    const { message = "" } = Object(outcome.cause) as { message?: unknown };
    const reason = redact(failureCode(outcome.cause)) || redact(message) || "unknown reason";
    report(
      `The service sent no response${isTimeout ? " in time" : ""} (${reason}). Check baseUrl (TRYON_BASE_URL) and the network.`,
    );
    return errorResponse(isTimeout ? 504 : 502, unavailable);
  }
  const { status, content, redirect } = response;
  const { detail } = Object(content) as { detail?: unknown };
  const text = typeof detail === "string" ? redact(detail) : undefined;
  const issues = readFieldIssues(detail, redact)?.map(
    ({ field, message: msg, type = "value_error" }): BodyIssue => {
      return { loc: ["body", ...field.split(".")], msg, type };
    },
  );
  const headers = responseHeaders(response, now);
  if (status === 404 && kind === "get") return jobNotFound();
  if (status === 413) return errorResponse(413, "The body is larger than the service accepts.");
  if (status === 422 && issues) return errorResponse(422, issues, headers);
  if (status === 429 && text !== undefined) return errorResponse(429, tooManyRequests, headers);
  const isUserError = [400, 409, 422].includes(status) || (status === 402 && kind === "purchase");
  if (text !== undefined && isUserError) return errorResponse(status, text, headers);
  report(
    `The service responded with ${status}: ${text ?? "no detail."} ${adviceFor(status, redirect)}`,
  );
  // Users must not learn that the key is wrong, locked or without credits.
  const isKeyError = [401, 402, 403, 429].includes(status);
  const mapped = status >= 500 ? status : isKeyError ? 503 : status === 408 ? 504 : 502;
  return errorResponse(mapped, unavailable, headers);
}

/** Picks the response headers for the user; rate limit headers are left out because they describe the API key. */
export function responseHeaders(response: HttpResponse, now: number): ResponseHeaders {
  const headers: Record<string, string> = {};
  const delay = requestedDelay(response, now);
  // Seconds in any case: a client would compare a date with a clock other than the service's.
  if (delay !== undefined) headers["retry-after"] = String(Math.ceil(delay / 1_000));
  const isReplayed = response.headers.get("idempotent-replayed") === "true";
  if (isReplayed) headers["idempotent-replayed"] = "true";
  const { requestId = "" } = response;
  if (/^[\w.:-]{1,128}$/.test(requestId)) headers["x-request-id"] = requestId;
  return headers;
}

function adviceFor(status: number, redirect: boolean | undefined): string {
  if (redirect) return "Set baseUrl to the target of the redirect; the proxy does not follow it.";
  if (status === 401) return "Check apiKey (TRYON_API_KEY).";
  if (status === 402) return "Buy credits.";
  if (status === 403) return "Check the key on the provider's dashboard.";
  return status >= 500 || status === 429 ? "Try again later." : "Check baseUrl (TRYON_BASE_URL).";
}
