const tryLater = "Try again later.";
const checkUrl = "Check baseUrl (TRYON_BASE_URL).";

/** Default hints of the codes of responses of the service. */
export const responseHints = {
  bad_request: "Change the request.",
  unauthorized: "Check apiKey (TRYON_API_KEY), or sign in.",
  insufficient_credits: "Buy credits.",
  payment_failed: "Use another payment token.",
  forbidden: "Ask the provider.",
  not_found: "Check the id and the key.",
  idempotency_conflict: "Use another idempotencyKey, or try again later.",
  purchase_already_processed: "Do not buy again.",
  payload_too_large: "Send smaller images.",
  validation_failed: "Correct these fields.",
  rate_limited: "Wait for retryAfter seconds.",
  too_many_refusals: "Use other images later.",
  server_error: tryLater,
  unavailable: tryLater,
};

/** Default hints of the errors of requests. */
export const hints = {
  ...responseHints,
  redirected: "Set baseUrl to that URL.",
  unexpected_response: checkUrl,
  connection_failed: checkUrl,
  timed_out: "Raise timeout or attemptTimeout.",
};
