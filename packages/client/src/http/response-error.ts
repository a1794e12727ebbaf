import { ApiError } from "../errors/api-error.ts";
import type { ApiErrorCode, TryOnErrorCode } from "../errors/code.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { hints } from "../errors/hints.ts";
import { OutcomeUnknownError, type Recover } from "../errors/outcome-error.ts";
import { isBranded, type FieldIssue, type TryOnError } from "../errors/tryon-error.ts";
import type { Job } from "../jobs/job.ts";
import type { Answer } from "./response.ts";
import { failureCode, type Failure, type Outcome } from "./attempt.ts";
import { readIssues } from "./field-issues.ts";
import type { Trail } from "./send-with-retries.ts";
import type { Settings } from "../config/resolve-config.ts";
import type { Redact } from "./redact.ts";
import { pauseAskedFor } from "./retry-policy.ts";

/**
 * What a request is for: some statuses mean different things.
 *
 * @inline
 */
export type Purpose = "submit" | "purchase" | "read";

/** What an error says about the request that it ended. */
export interface Ended {
  /** Method and path, for people. */
  readonly name: string;
  readonly purpose: Purpose;
  readonly trail: Trail;
  readonly job?: Job | undefined;
  /** Set for a submission: the key, and how to find out what became of it. */
  readonly submission?: { readonly idempotencyKey: string; readonly recover: Recover } | undefined;
}

/** By status, and by purpose and status where the purpose makes a difference. */
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

/** The error for the end of a request that gave no good answer. It never says that nothing happened unless that is proved. */
export function errorOf(
  outcome: Outcome,
  { name, purpose, trail, job, submission }: Ended,
  { redact, clock }: Pick<Settings, "redact" | "clock">,
): TryOnError {
  const { answer } = outcome;
  const { status = 0, requestId, rateLimit } = answer ?? {};
  const pause = answer ? pauseAskedFor(answer, clock.now()) : outcome.wait;
  const { attempts } = trail;
  const details = {
    // Browsers hide that of a redirect behind 0.
    status: status || undefined,
    requestId: redact(requestId),
    rateLimit,
    retryAfter: pause && pause / 1_000,
    attempts,
    job,
  };
  const submitted = submission && {
    idempotencyKey: submission.idempotencyKey,
    recover: submission.recover,
    hint: hints.outcome_unknown,
  };
  const { code, words, ...rest } = answer
    ? refusal(answer, purpose, redact)
    : silence(outcome, redact);
  if (purpose === "purchase" && trail.uncertain && status !== 409) {
    rest.hint = "It may have paid: repeat it with the same token, which pays once.";
  }
  const Class = status >= 400 || code === "rate_limited" ? ApiError : ConnectionError;
  const error =
    !answer && isBranded(outcome.cause)
      ? outcome.cause
      : new Class(code, `${name} ${words}.`, {
          ...details,
          ...rest,
          ...((status >= 500 || status === 409) && submitted),
        });
  if (!submitted || trail.isToldBy(outcome)) return error;
  return new OutcomeUnknownError(
    `The try-on may have been made: the last request for it ended in ${error.code}.`,
    { ...details, ...submitted, cause: error },
  );
}

/** How a call ended: the code, the rest of a sentence that begins with its name, and more for the error. */
interface End {
  readonly code: TryOnErrorCode;
  readonly words: string;
  hint?: string;
  readonly issues?: readonly FieldIssue[] | undefined;
  readonly cause?: Error;
}

function silence({ failure, cause }: Failure, redact: Redact): End {
  if (failure === "rate_limited") {
    return { code: failure, words: "was not sent: the rate limit of the key is used up" };
  }
  // Words alone: errors of a `fetch` can hold the whole request with its key.
  const { message = cause } = Object(cause) as { message?: unknown };
  const code = redact(failureCode(cause)) || failure;
  return {
    code: failure === "timed_out" ? failure : "connection_failed",
    words: `got no answer (${code})`,
    cause: Object.assign(new Error(redact(message)), { code }),
  };
}

function refusal(answer: Answer, purpose: Purpose, redact: Redact): End {
  const { status, content, text, headers, redirect } = answer;
  if (redirect) {
    const location = redact(headers.get("location")) || "another address";
    return { code: "redirected", words: `was redirected to ${location}` };
  }
  const { detail } = Object(content) as { detail?: unknown };
  const issues = readIssues(detail, redact);
  const said =
    issues
      ?.map(({ field, message }) => `${field}: ${message}`)
      .join("; ")
      .slice(0, 500) ??
    redact(
      typeof detail === "string"
        ? detail.replace(/\.$/, "")
        : text.slice(0, 4_000).replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " "),
    );
  return {
    code:
      codes[purpose + status] ??
      codes[status] ??
      (status < 400 ? "unexpected_response" : status < 500 ? "bad_request" : "server_error"),
    words: `answered ${status}: ${said || "no text"}`,
    issues,
  };
}
