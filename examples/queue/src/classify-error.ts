import { isTryOnError, type TryOnErrorCode } from "@tryon/client";

/**
 * Action after an error. `fail`: every attempt would fail. `retry`: under the same key, after a delay. `wait`: the queue
 * waits for the rate limit. `stop`: every item would fail, so the queue stops until an operator resumes it.
 */
export type ErrorAction = "fail" | "retry" | "wait" | "stop";

const actions: { readonly [Code in TryOnErrorCode]?: ErrorAction } = {
  job_failed: "fail",
  invalid_input: "fail",
  bad_request: "fail",
  validation_failed: "fail",
  payload_too_large: "fail",
  result_purged: "fail",
  rate_limited: "wait",
  too_many_refusals: "stop",
  insufficient_credits: "stop",
  budget_exceeded: "stop",
  unauthorized: "stop",
  forbidden: "stop",
  redirected: "stop",
  unsafe_environment: "stop",
  invalid_config: "stop",
};

export function classifyError(error: unknown): ErrorAction {
  return (isTryOnError(error) && actions[error.code]) || "retry";
}

/** Errors of a submission that may have created a job. All others prove that it did not. */
const unknownOutcome = new Set<TryOnErrorCode>([
  "outcome_unknown",
  "server_error",
  "unavailable",
  "idempotency_conflict",
]);

/** Returns true if the error proves that the submission created no job. */
export function provesNoJob(error: unknown): boolean {
  return isTryOnError(error) && error.job === undefined && !unknownOutcome.has(error.code);
}
