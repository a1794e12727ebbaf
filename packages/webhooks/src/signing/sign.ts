import { bytesOf, type RawBody } from "../verification/body.ts";
import { usableSecrets } from "../verification/secrets.ts";
import { formatSignature } from "../verification/signature.ts";
import { hmacSha256 } from "../verification/hmac-sha256.ts";
import { WebhookError } from "../webhook-error.ts";

/** Options of {@link sign}. */
export interface SignOptions {
  /** Body, exactly as it will be sent. Text is encoded as UTF-8. */
  readonly body: RawBody;
  /** Webhook secret with its `whsec_` prefix. */
  readonly secret: string;
}

/**
 * Computes the `X-Service-Signature` of a body like the service: `sha256=` and the HMAC-SHA256 (RFC
 * 2104) in lower-case hexadecimal. Use it in tests, or to send your own events.
 *
 * @throws {@link WebhookError} `invalid_secret` for a blank secret, `raw_body_required` if the body
 * is neither bytes nor text.
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
      "The body is neither bytes nor text. Pass JSON.stringify(…) of an object, and send the same text.",
    );
  }
  return formatSignature(await hmacSha256(key, bytes.slice()));
}
