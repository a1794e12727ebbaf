/** Error codes of responses of the service. */
export type ApiErrorCode =
  | "bad_request"
  | "unauthorized"
  | "insufficient_credits"
  | "payment_failed"
  | "forbidden"
  | "not_found"
  | "idempotency_conflict"
  | "purchase_already_processed"
  | "payload_too_large"
  | "validation_failed"
  | "rate_limited"
  | "server_error"
  | "unavailable";

/** Error code, for programs. Codes are stable, messages are not. */
export type TryOnErrorCode =
  | ApiErrorCode
  | "redirected"
  | "unexpected_response"
  | "connection_failed"
  | "timed_out"
  | "wait_timed_out"
  | "outcome_unknown"
  | "job_failed"
  | "result_expired"
  | "result_purged"
  | "invalid_input"
  | "budget_exceeded"
  | "batch_stopped"
  | "unsafe_environment"
  | "invalid_config";

/** Codes of failures that do not depend on the request, so that a later one may succeed. */
export const transientCodes: ReadonlySet<TryOnErrorCode> = new Set([
  "connection_failed",
  "timed_out",
  "server_error",
  "unavailable",
  "rate_limited",
  "unexpected_response",
]);

const tryLater = "Try again later.";
const checkUrl = "Check baseUrl (TRYON_BASE_URL).";

/** Default hint of each code. */
export const hints: { readonly [Code in TryOnErrorCode]?: string } & {
  readonly [Code in ApiErrorCode]: string;
} = {
  bad_request: "Change the request.",
  unauthorized: "Check apiKey (TRYON_API_KEY), or sign in.",
  insufficient_credits: "Buy credits.",
  payment_failed: "Request another payment token.",
  forbidden: "Ask the provider.",
  not_found: "Check the id and the API key.",
  idempotency_conflict: "Use another idempotencyKey, or try again later.",
  purchase_already_processed: "Do not buy again.",
  payload_too_large: "Send smaller images.",
  validation_failed: "Correct these fields.",
  rate_limited: "Wait for retryAfter seconds.",
  server_error: tryLater,
  unavailable: tryLater,
  redirected: "The client follows no redirect: set baseUrl to that URL.",
  unexpected_response: checkUrl,
  connection_failed: checkUrl,
  timed_out: "Try again later, or raise timeout or attemptTimeout.",
  wait_timed_out: "The job continues and is billed once: wait for it with error.job.result().",
  outcome_unknown: "Call error.recover() to find out. It never pays twice.",
};
