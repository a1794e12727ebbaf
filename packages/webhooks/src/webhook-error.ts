/**
 * Reason why a delivery was rejected. The configuration of the receiver causes `invalid_secret` and
 * `raw_body_required`. Another delivery of the event that is being handled causes
 * `duplicate_event`. The request causes all others. The guide on webhooks has the fix for each.
 */
export type WebhookErrorCode =
  | "missing_signature"
  | "malformed_signature"
  | "multiple_signatures"
  | "invalid_secret"
  | "raw_body_required"
  | "body_too_large"
  | "signature_mismatch"
  | "invalid_json"
  | "invalid_event"
  | "header_mismatch"
  | "stale_event"
  | "duplicate_event";

// A registered symbol, so that an ESM and a CJS copy of this file share it.
const brand = Symbol.for("@tryon/webhooks");

/**
 * Error of a rejected delivery, with the fix. Its code and message are safe to log: they contain no
 * header, no part of the body and no secret.
 *
 * Two codes have a `cause`: `invalid_secret` the error of your function for the secrets, and
 * `raw_body_required` the error of the runtime when the body was read.
 *
 * @example
 * import { WebhookError } from "@tryon/webhooks";
 *
 * const error = new WebhookError("signature_mismatch", "The signature does not match.");
 * JSON.stringify(error); // {"name":"WebhookError","code":"signature_mismatch","message":"…"}
 */
export class WebhookError extends Error {
  /** @internal Finds errors of every copy of this package. A subclass of an app finds its own. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return this === WebhookError ? isWebhookError(error) : super[Symbol.hasInstance](error);
  }

  /** Name of the class. */
  override readonly name = "WebhookError";

  /** Reason, for programs. It does not change with the message. */
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    // Not declared, because the declarations of the two copies would have different symbols.
    Object.defineProperty(this, brand, { value: true });
  }

  /** Returns name, code and message for a log, without the stack and the cause. */
  toJSON(): {
    /** Name of the class. */
    name: string;
    /** Reason, for programs. */
    code: WebhookErrorCode;
    /** Reason and fix, for people. */
    message: string;
  } {
    return { name: this.name, code: this.code, message: this.message };
  }
}

/**
 * Returns true for a {@link WebhookError}, with `code` only for one of that code. Also works
 * between an ESM and a CJS copy of this package, as `instanceof` does.
 *
 * @param error - Caught value.
 * @param code - Required code. Default: any code.
 * @example
 * import { isWebhookError, verify } from "@tryon/webhooks";
 *
 * try {
 *   await verify({ body, headers, secrets });
 * } catch (error) {
 *   if (!isWebhookError(error, "signature_mismatch")) throw error;
 *   console.warn("Forged, or another secret");
 * }
 */
export function isWebhookError<Code extends WebhookErrorCode = WebhookErrorCode>(
  error: unknown,
  code?: Code,
): error is WebhookError & { readonly code: Code } {
  if (typeof error !== "object" || error === null || !(brand in error)) return false;
  return code === undefined || ("code" in error && error.code === code);
}
