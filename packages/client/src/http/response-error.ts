import type { Purpose } from "../types/middleware.ts";
import { ApiError, ConnectionError, OutcomeUnknownError } from "../errors/request-errors.ts";
import {
  hints,
  isBranded,
  type ApiErrorCode,
  type FieldIssue,
  type TryOnError,
} from "../errors/tryon-error.ts";
import type { HttpResponse } from "./http-request.ts";
import type { CallContext } from "./send-with-retries.ts";
import {
  failureCode,
  isOfService,
  tooManyRefusals,
  type Failure,
  type Outcome,
} from "./outcome-table.ts";
import type { Config } from "../config/resolve-config.ts";
import type { Redact } from "../errors/redact.ts";

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

const maxIssues = 20;

/** Errors of responses without JSON of the service. */
const foreignErrors = new WeakSet<object>();

/** Returns true for the error of a response that is not from the service, but from a firewall or another server. */
export function isForeign(error: object): boolean {
  return foreignErrors.has(error);
}

export function responseError(
  outcome: Outcome,
  { name, purpose, attemptLog, job, submission }: CallContext,
  { redact, apiKey, baseUrl }: Pick<Config, "redact" | "apiKey" | "baseUrl">,
): TryOnError {
  const { response } = outcome;
  const { status = 0, requestId, rateLimit } = response ?? {};
  const { requestedDelay: delay } = response ?? outcome;
  const { attempts, firstUncertain } = attemptLog;
  const { code, words, ...rest } = response
    ? describeErrorResponse(response, purpose, redact)
    : describeNoResponse(outcome, redact);
  // The response of a gateway that refuses a size is often lost.
  const megabytes = response ? 0 : Math.ceil((outcome.brokenUpload ?? 0) / 1e5) / 10;
  const end = megabytes
    ? ` while it sent ${megabytes} MB, perhaps above the limit of a gateway.`
    : ".";
  const hint = (): string | undefined => {
    // The store of the images has another URL than the service.
    if (!purpose) return "The image store failed: download it again later, which is free.";
    if (submission && firstUncertain) return hints.outcome_unknown;
    if (rest.hint) return rest.hint;
    if (megabytes) return hints.payload_too_large;
    if (purpose === "purchase" && firstUncertain && status !== 409) {
      return "The purchase may have been paid: repeat it with the same token, which pays once.";
    }
    if (delay && (!response || status === 429)) return `Wait ${Math.ceil(delay / 1_000)} s.`;
    if (status !== 404 || /job_/.test(name)) return hints[code];
    return `Check baseUrl (TRYON_BASE_URL), to which the client adds /api/v1${baseUrl.endsWith("/api") ? ": remove its /api" : ""}.`;
  };
  const isElsewhere = response && outcome.isElsewhere;
  // A client of a proxy has no key and another option for the URL.
  const nameOption = (text = ""): string =>
    apiKey ? text : text.replace(/baseUrl( \(\w+\))?/, "proxyUrl");
  const text = `${isElsewhere ? nameOption("baseUrl does not lead to the service: ") : ""}${name} ${words}${end}`;
  const details = {
    // Browsers report status 0 for a redirect.
    status: status || undefined,
    requestId: redact(requestId),
    rateLimit,
    retryAfter: delay && delay / 1_000,
    attempts,
    job,
  };
  const Class = status >= 400 || code === "rate_limited" ? ApiError : ConnectionError;
  const error =
    !response && isBranded(outcome.cause)
      ? outcome.cause
      : new Class(code, text, {
          ...details,
          ...rest,
          ...(firstUncertain && submission),
          hint: nameOption(hint()),
        });
  if (response && !isOfService(response.content)) foreignErrors.add(error);
  if (!submission || attemptLog.isExplainedBy(outcome)) return error;
  return new OutcomeUnknownError(
    `The try-on may have been made: the last attempt to submit it failed with ${error.code}${end}`,
    { ...details, ...submission, cause: error },
  );
}

interface Description {
  readonly code: keyof typeof hints;
  readonly words: string;
  readonly issues?: readonly FieldIssue[] | undefined;
  readonly hint?: string;
  readonly cause?: Error;
}

function describeNoResponse({ failure, cause, origin }: Failure, redact: Redact): Description {
  if (failure === "rate_limited") {
    return { code: failure, words: "was not sent: the rate limit is exhausted" };
  }
  // Only the message: errors of `fetch` can contain the request with its key.
  const { message = cause, hint } = Object(cause) as { message?: unknown; hint?: unknown };
  const code = redact(failureCode(cause)) || failure;
  return {
    code: failure === "timed_out" ? failure : "connection_failed",
    words: `got no response from ${origin} (${code})`,
    cause: Object.assign(new Error(redact(message)), { code }),
    // The transport of Node adds it.
    ...(hint !== undefined && { hint: redact(hint) }),
  };
}

function describeErrorResponse(
  { status, content, text, headers, redirect }: HttpResponse,
  purpose: Purpose | undefined,
  redact: Redact,
): Description {
  if (redirect) {
    const location = redact(headers.get("location")) || "another URL";
    return { code: "redirected", words: `was redirected to ${location}` };
  }
  const { detail, code } = Object(content) as { detail?: unknown; code?: unknown };
  const issues = readFieldIssues(detail, redact);
  const isPage = /^\s*</.test(text);
  const shown = isPage ? (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? text) : text;
  const reason = issues
    ? issues.map(({ field, message }) => `${field}: ${message}`).join("; ")
    : redact(
        typeof detail === "string"
          ? detail
          : shown.slice(0, 4_000).replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " "),
      );
  const sender = isPage ? "a page answered, not the service: " : "";
  const otherCode =
    status < 400 ? "unexpected_response" : status < 500 ? "bad_request" : "server_error";
  return {
    code:
      code === tooManyRefusals
        ? code
        : (codes[`${purpose}${status}`] ?? codes[status] ?? otherCode),
    words: `returned ${status}: ${sender}${reason.slice(0, 500).replace(/[\s.]+$/, "") || "no error message"}`,
    issues,
    ...(isPage &&
      status < 500 &&
      status !== 413 && { hint: "Check baseUrl and proxies in between." }),
  };
}

/** Returns the problems that a 422 lists, or undefined if it lists none. Leaves `input` out, which can be a whole image. */
export function readFieldIssues(
  detail: unknown,
  redact: Redact,
): readonly FieldIssue[] | undefined {
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  return detail.slice(0, maxIssues).map((entry: unknown) => {
    const { loc, msg, type }: { loc?: unknown; msg?: unknown; type?: unknown } = Object(entry);
    const path: readonly unknown[] = Array.isArray(loc) ? loc : [];
    const names = path.filter((part) => typeof part !== "object");
    // The part of the request is not part of the name.
    if (names.length > 1 && /^(body|query|path|header)$/.test(String(names[0]))) names.shift();
    const kind = redact(type);
    return {
      field: redact(names.join(".")),
      message: redact(msg) || "is not valid",
      ...(kind && { type: kind }),
    };
  });
}
