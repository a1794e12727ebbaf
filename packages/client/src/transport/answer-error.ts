import { ApiError } from "../errors/api-error.ts";
import type { ApiErrorCode } from "../errors/code.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { OutcomeUnknownError, type Recover } from "../errors/outcome-error.ts";
import { isBranded, type TryOnError, type TryOnErrorDetails } from "../errors/tryon-error.ts";
import type { Job } from "../jobs/job.ts";
import type { Answer } from "./answer.ts";
import { failureCode, type Failure, type Outcome } from "./attempt.ts";
import { readIssues } from "./issues.ts";
import type { Trail } from "./journey.ts";
import type { Redact } from "./redact.ts";
import { pauseAskedFor } from "./retry.ts";

/** What a request is for: some statuses mean different things. */
export type Purpose = "submit" | "purchase" | "read";

/** What an error says about the request that it ended. */
export interface Ended {
  /** Method and path, for people. */
  readonly name: string;
  readonly purpose: Purpose;
  readonly trail: Trail;
  readonly now: number;
  readonly redact: Redact;
  readonly job?: Job | undefined;
  /** Set for a submission: the key, and how to find out what became of it. */
  readonly submission?: { readonly idempotencyKey: string; readonly recover: Recover } | undefined;
}

/** The error for the end of a request that gave no good answer. It never says that nothing happened unless that is proved. */
export function errorOf(outcome: Outcome, ended: Ended): TryOnError {
  const { answer } = outcome;
  const error = answer === undefined ? silence(outcome, ended) : answerError(answer, ended);
  const { submission, trail } = ended;
  if (submission === undefined || trail.isToldBy(outcome)) return error;
  const { status, requestId, retryAfter, rateLimit } = error;
  return new OutcomeUnknownError(
    `The try-on may have been made: a request for it may have arrived, and the last one ended in ${error.code}.`,
    {
      hint: `${recoverHint} Do not submit it under another key.`,
      idempotencyKey: submission.idempotencyKey,
      recover: submission.recover,
      cause: error,
      status,
      requestId,
      retryAfter,
      rateLimit,
      attempts: trail.attempts,
    },
  );
}

const recoverHint = "error.recover() finds out, and never pays twice.";

function silence(outcome: Failure, ended: Ended): TryOnError {
  const { name, trail, purpose, job } = ended;
  const { attempts } = trail;
  if (outcome.failure === "rate_limited") {
    const retryAfter = (outcome.wait ?? 0) / 1_000;
    const message = `${name} was not sent: the rate limit of the key is used up.`;
    return new ApiError("rate_limited", message, { status: 429, retryAfter, attempts, job });
  }
  const { cause } = outcome;
  if (isBranded(cause)) return cause;
  const details = { attempts, job, cause };
  const repeat =
    purpose === "purchase"
      ? " It may have gone through: repeat it with the same token, which pays once."
      : "";
  if (outcome.failure === "timed_out") {
    return new ConnectionError("timed_out", `${name} was not answered in time.`, {
      ...details,
      hint: `Try again later, or raise timeout or attemptTimeout.${repeat}`,
    });
  }
  return new ConnectionError(
    "connection_failed",
    `${name} got no answer (${failureCode(cause) ?? "connection failed"}).`,
    {
      ...details,
      hint: `Check baseUrl (TRYON_BASE_URL).${repeat}`,
    },
  );
}

function answerError(answer: Answer, ended: Ended): TryOnError {
  const { name, trail, now, redact, job } = ended;
  const { status, requestId, rateLimit } = answer;
  const pause = pauseAskedFor(answer, now);
  const details = {
    status,
    requestId,
    retryAfter: pause === undefined ? undefined : pause / 1_000,
    rateLimit,
    attempts: trail.attempts,
    job,
  } satisfies TryOnErrorDetails;
  if (answer.redirect) {
    const target = answer.location === undefined ? "another address" : redact(answer.location);
    return new ConnectionError("redirected", `${name} was redirected to ${target}.`, {
      ...details,
      hint: "Redirects are not followed, to keep the key safe: set baseUrl to where it leads.",
    });
  }
  const said = saying(answer, redact);
  const code = codeOf(status, ended.purpose);
  if (code === undefined) {
    return new ConnectionError("unexpected_response", `${name} answered ${status} with ${said}.`, {
      ...details,
      hint: "That is not the service: check baseUrl (TRYON_BASE_URL).",
    });
  }
  const { idempotencyKey, recover } = ((status >= 500 || status === 409) && ended.submission) || {};
  return new ApiError(code, `${name} answered ${status}: ${said}.`, {
    ...details,
    hint: recover && recoverHint,
    issues: readIssues(answer.content, redact),
    idempotencyKey,
    recover,
  });
}

const codes: Readonly<Record<number, ApiErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  413: "payload_too_large",
  422: "validation_failed",
  429: "rate_limited",
  503: "unavailable",
};

function codeOf(status: number, purpose: Purpose): ApiErrorCode | undefined {
  if (status === 402) return purpose === "purchase" ? "payment_failed" : "insufficient_credits";
  if (status === 409 && purpose !== "read") {
    return purpose === "purchase" ? "purchase_already_processed" : "idempotency_conflict";
  }
  if (status < 400 || status > 599) return undefined;
  return codes[status] ?? (status >= 500 ? "server_error" : "bad_request");
}

/** What an answer says, short and on one line. */
function saying(answer: Answer, redact: Redact): string {
  const { content, text } = answer;
  const { detail } = Object(content) as { detail?: unknown };
  if (typeof detail === "string" && detail !== "") return redact(detail).replace(/\.$/, "");
  const issues = readIssues(content, redact);
  if (issues !== undefined) {
    return issues
      .map(({ field, message }) => `${field}: ${message}`)
      .join("; ")
      .slice(0, 500);
  }
  const words = text.slice(0, 4_000).replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ");
  return redact(words) || "no text";
}
