import { bytesOf } from "../verification/raw-bytes.ts";
import type { RawBody } from "../verification/raw-bytes.ts";
import { usableSecrets } from "../verification/secrets.ts";
import { formatSignature } from "../verification/signature.ts";
import { hmacSha256 } from "../verification/web-crypto.ts";
import { WebhookError } from "../webhook-error.ts";

/** What {@link sign} signs, and with what. */
export interface SignOptions {
  /** The body, exactly as it will be sent. Text is encoded as UTF-8. */
  readonly body: RawBody;
  /** The webhook secret: all of it, its `whsec_` prefix included. */
  readonly secret: string;
}

/**
 * Makes the value of `X-Service-Signature` for a body, as the service makes it: `sha256=` and the
 * HMAC-SHA256 (RFC 2104) in lower-case hexadecimal. For tests, and for sending events of one's own.
 *
 * @throws {@link WebhookError} `invalid_secret` for a blank secret, `raw_body_required` for a body
 * that is neither bytes nor text.
 * @example
 * import { sign } from "@tryon/webhooks";
 *
 * const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
 * const headers = { "X-Service-Signature": await sign({ body, secret: "whsec_test" }) };
 * await fetch(url, { method: "POST", body, headers });
 */
export async function sign({ body, secret }: SignOptions): Promise<string> {
  const [key] = usableSecrets([secret]);
  const bytes = bytesOf(body);
  // Stryker disable next-line ConditionalExpression: usableSecrets throws unless it returns a key.
  if (key === undefined || bytes === undefined) {
    throw new WebhookError(
      "raw_body_required",
      "There are no bytes and no text to sign. Pass JSON.stringify(…) of an object, and send that very text.",
    );
  }
  return formatSignature(await hmacSha256(key, bytes.slice()));
}
