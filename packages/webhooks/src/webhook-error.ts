/**
 * Why a delivery was refused. `invalid_secret` and `raw_body_required` come from the receiver's own
 * set-up, `duplicate_event` from a receiver that handles another delivery of the event at this very
 * moment, and all others from what was sent. The README has the fix for each.
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

// In the registry of the whole program, so that an ESM and a CJS copy of this file share it.
const brand = Symbol.for("@tryon/webhooks");

/**
 * A delivery that was refused, and what to do about it. Carries a code and a message that are safe
 * to log: no header, no part of the body and no secret is in either.
 *
 * `cause` is set on two codes, and is what failed underneath: on `invalid_secret` what your function
 * for the secrets threw, on `raw_body_required` what the runtime threw when the body was read.
 *
 * @example
 * import { WebhookError } from "@tryon/webhooks";
 *
 * const error = new WebhookError("signature_mismatch", "The signature does not fit the body.");
 * JSON.stringify(error); // {"name":"WebhookError","code":"signature_mismatch","message":"…"}
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";

  /** What was wrong, for programs: it stays the same when a message is reworded. */
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    // Not declared, since a symbol of a declaration file is another one in the other copy.
    Object.defineProperty(this, brand, { value: true });
  }

  /** Name, code and message: what may go into a log. Leaves out the stack and the cause. */
  toJSON(): { name: string; code: WebhookErrorCode; message: string } {
    return { name: this.name, code: this.code, message: this.message };
  }
}

/**
 * Tells whether something caught is a {@link WebhookError}, of one code if one is given. Holds
 * where `instanceof` fails: when an ESM and a CJS copy of this package are loaded side by side.
 *
 * @param error - Anything that was caught.
 * @param code - The code asked for; any code if none is given.
 * @example
 * import { isWebhookError, verify } from "@tryon/webhooks";
 *
 * try {
 *   await verify({ body, headers, secrets });
 * } catch (error) {
 *   if (!isWebhookError(error, "signature_mismatch")) throw error;
 *   console.warn("Somebody else, or another secret");
 * }
 */
export function isWebhookError<Code extends WebhookErrorCode = WebhookErrorCode>(
  error: unknown,
  code?: Code,
): error is WebhookError & { readonly code: Code } {
  if (typeof error !== "object" || error === null || !(brand in error)) return false;
  return code === undefined || ("code" in error && error.code === code);
}
