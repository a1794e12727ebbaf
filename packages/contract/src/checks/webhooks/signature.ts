import { createHmac } from "node:crypto";

import { SkipCheck } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Delivery } from "../../target/receiver.ts";

/** The header that signs a webhook. */
export const signatureHeader = "x-service-signature";

/** Whether a webhook is signed over its own bytes under a secret, in whatever way the signature is written. */
export function isSigned({ headers, bytes }: Delivery, secret: string): boolean {
  const signature = headers.get(signatureHeader)?.toLowerCase() ?? "";
  return signature.endsWith(createHmac("sha256", secret).update(bytes).digest("hex"));
}

/** The secret that a key's webhooks are signed with. @throws Skip when it is not known. */
export function secretOf({ webhookSecret }: Key): string {
  if (webhookSecret !== undefined) return webhookSecret;
  throw new SkipCheck("It takes the secret that signs the key's webhooks (--webhook-secret).");
}
