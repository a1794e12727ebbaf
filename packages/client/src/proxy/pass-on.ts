import type { HttpResponse } from "../http/response.ts";
import { failureCode, type Outcome } from "../http/attempt.ts";
import { readFieldIssues } from "../http/field-issues.ts";
import type { Redact } from "../http/redact.ts";
import { requestedDelay } from "../http/retry-policy.ts";
import type { ProxyKind } from "./options.ts";
import { noSuchJob, refuse } from "./refusal.ts";

/** What a visitor is told, and what only the operator is. */
export interface Passed {
  readonly response: Response;
  readonly trouble?: string;
}

interface Surroundings {
  readonly kind: ProxyKind;
  readonly redact: Redact;
  readonly now: number;
}

const unavailable = "Try-ons cannot be made at the moment.";

/**
 * What becomes of an end that is not good. Only what the service itself refused is handed on as a refusal, since that
 * proves to the client that nothing happened; whatever leaves that open becomes a 5xx, which proves nothing.
 */
export function passOn(outcome: Outcome, { kind, redact, now }: Surroundings): Passed {
  const { response: answer } = outcome;
  if (answer === undefined) {
    const late = outcome.failure === "timed_out";
    // Words alone: errors of a `fetch` can hold the whole request with its key.
    const { message = "" } = Object(outcome.cause) as { message?: unknown };
    const why = redact(failureCode(outcome.cause)) || redact(message) || "no reason given";
    return {
      response: refuse(late ? 504 : 502, unavailable),
      trouble: `The service ${late ? "did not answer in time" : "gave no answer"} (${why}). Check baseUrl (TRYON_BASE_URL) and the network.`,
    };
  }
  const { status, content, redirect } = answer;
  const { detail } = Object(content) as { detail?: unknown };
  const issues = readFieldIssues(detail, redact);
  const words = typeof detail === "string" ? redact(detail) : undefined;
  const headers = headersOf(answer, now);
  if (status === 404 && kind === "get") return { response: noSuchJob() };
  if (status === 413) return { response: refuse(413, "The service takes no body this large.") };
  if (status === 422 && issues) {
    const listed = issues.map(({ field, message, type = "value_error" }) => ({
      loc: ["body", ...field.split(".")],
      msg: message,
      type,
    }));
    return { response: refuse(422, listed, headers) };
  }
  if (words !== undefined) {
    if (status === 429) return { response: refuse(429, "Too many requests.", headers) };
    const ownMatter = status === 400 || status === 409 || status === 422;
    if (ownMatter || (status === 402 && kind === "purchase")) {
      return { response: refuse(status, words, headers) };
    }
  }
  const trouble = `The service answered ${status}: ${words ?? "not in its own words"} ${adviceFor(status, redirect)}`;
  if (status >= 500) return { response: refuse(status, unavailable, headers), trouble };
  // That the key is wrong, locked or empty is for the operator alone.
  const closed = [401, 402, 403, 429].includes(status);
  const instead = closed ? 503 : status === 408 ? 504 : 502;
  return { response: refuse(instead, unavailable, headers), trouble };
}

/** The headers of the service that a visitor gets. Its rate limit is the key's, and not theirs. */
export function headersOf(answer: HttpResponse, now: number): Record<string, string> {
  const headers: Record<string, string> = {};
  const pause = requestedDelay(answer, now);
  // In seconds, whatever form it came in: a date would be compared with another clock than the service's.
  if (pause !== undefined) headers["retry-after"] = String(Math.ceil(pause / 1_000));
  if (answer.headers.get("idempotent-replayed") === "true") headers["idempotent-replayed"] = "true";
  const { requestId } = answer;
  if (requestId !== undefined && /^[\w.:-]{1,128}$/.test(requestId)) {
    headers["x-request-id"] = requestId;
  }
  return headers;
}

function adviceFor(status: number, redirect: boolean | undefined): string {
  if (redirect) return "Set baseUrl to where it leads; it is not followed.";
  if (status === 401) return "Check apiKey (TRYON_API_KEY).";
  if (status === 402) return "Buy credits.";
  if (status === 403) return "Look at the key on the provider's dashboard.";
  return status >= 500 || status === 429 ? "Try again later." : "Check baseUrl (TRYON_BASE_URL).";
}
