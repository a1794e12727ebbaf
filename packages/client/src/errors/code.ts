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
