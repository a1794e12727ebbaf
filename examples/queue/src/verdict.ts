import { isTryOnError, type TryOnErrorCode } from "@tryon/client";

/**
 * What becomes of an item after an error. `failed`: another attempt would end the same way. `retried`: after a pause, under
 * the same key. `slower`: the whole queue waits. `stopped`: no item would do better, so somebody has to look.
 */
export type Verdict = "failed" | "retried" | "slower" | "stopped";

const verdicts: { readonly [Code in TryOnErrorCode]?: Verdict } = {
  job_failed: "failed",
  invalid_input: "failed",
  bad_request: "failed",
  validation_failed: "failed",
  payload_too_large: "failed",
  result_purged: "failed",
  rate_limited: "slower",
  insufficient_credits: "stopped",
  budget_exceeded: "stopped",
  unauthorized: "stopped",
  forbidden: "stopped",
  redirected: "stopped",
  unsafe_environment: "stopped",
  invalid_config: "stopped",
};

export function verdictOn(error: unknown): Verdict {
  return (isTryOnError(error) && verdicts[error.code]) || "retried";
}

/** The errors after which a try-on may have been made; any other error of a submission is proof that none was. */
const open = new Set<TryOnErrorCode>([
  "outcome_unknown",
  "server_error",
  "unavailable",
  "idempotency_conflict",
]);

/** Whether the service has certainly not taken on what was submitted. */
export function provesNothingHappened(error: unknown): boolean {
  return isTryOnError(error) && error.job === undefined && !open.has(error.code);
}
