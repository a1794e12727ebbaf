import type { ApiErrorCode, TryOnErrorCode } from "./code.ts";

const tryLater = "Try again later.";
const checkAddress = "Check baseUrl (TRYON_BASE_URL).";

/** What to do next, unless an error knows better; those of what is loaded late know it themselves. */
export const hints: { readonly [Code in TryOnErrorCode]?: string } & {
  readonly [Code in ApiErrorCode]: string;
} = {
  bad_request: "Change the request.",
  unauthorized: "Check apiKey (TRYON_API_KEY), or sign in.",
  insufficient_credits: "Buy credits.",
  payment_failed: "Ask for another token.",
  forbidden: "Ask the provider.",
  not_found: "Check id and key.",
  idempotency_conflict: "Take another idempotencyKey, or try again later.",
  purchase_already_processed: "Do not buy again.",
  payload_too_large: "Send smaller images.",
  validation_failed: "Correct these fields.",
  rate_limited: "Wait for retryAfter seconds.",
  server_error: tryLater,
  unavailable: tryLater,
  redirected: "It is not followed: set baseUrl to it.",
  unexpected_response: checkAddress,
  connection_failed: checkAddress,
  timed_out: "Try again later, or raise timeout or attemptTimeout.",
  wait_timed_out: "It runs on and is billed once: wait on with error.job.result().",
  outcome_unknown: "error.recover() finds out, and never pays twice.",
};
