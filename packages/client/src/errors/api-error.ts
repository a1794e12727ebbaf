import type { ApiErrorCode } from "./code.ts";
import type { Recover } from "./outcome-error.ts";
import { TryOnError, type TryOnErrorDetails } from "./tryon-error.ts";

interface ApiErrorDetails extends TryOnErrorDetails {
  readonly status: number;
  readonly balance?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly recover?: Recover | undefined;
}

const hints: Readonly<Record<ApiErrorCode, string>> = {
  bad_request: "The same request is refused again: change it.",
  unauthorized: "Check apiKey (TRYON_API_KEY).",
  insufficient_credits: "Buy credits, or take a smaller output_size.",
  payment_failed: "Ask the user for another token.",
  forbidden: "Look at the provider's dashboard: the key or its account is disabled.",
  not_found: "Check the id, and that it belongs to this key.",
  idempotency_conflict:
    "A new try-on needs a new idempotency key; for the same one, ask again in a moment.",
  purchase_already_processed: "The token has paid before: do not buy again.",
  payload_too_large: "Send smaller images, or https addresses.",
  validation_failed: "Correct these fields.",
  rate_limited: "Wait for retryAfter seconds.",
  server_error: "Try again later.",
  unavailable: "Try again later.",
};

/** The service answered with an error status. */
export class ApiError extends TryOnError {
  declare readonly code: ApiErrorCode;
  declare readonly status: number;
  /** With `purchase_already_processed`: the credits that the key has now, when the account could be read. */
  declare readonly balance?: number;
  /** The key of the submission, with `server_error`, `unavailable` and `idempotency_conflict` of a submission. */
  declare readonly idempotencyKey?: string;
  /**
   * With `server_error`, `unavailable` and `idempotency_conflict` of a submission: sends the same body under the same key
   * again, which gives the job if there is one and makes it if there is none. Never a second job, never a second charge.
   */
  declare readonly recover?: Recover;

  constructor(code: ApiErrorCode, message: string, details: ApiErrorDetails) {
    super(code, message, { ...details, hint: details.hint ?? hints[code] });
  }
}
