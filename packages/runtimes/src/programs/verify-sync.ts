import { isWebhookError, sign } from "@tryon/webhooks";
import { safeVerifySync, verifySync } from "@tryon/webhooks/node";

/** Verifies at once, by `node:crypto`, and knows an error of one entry in another. */
export async function run(): Promise<unknown> {
  const secret = "whsec_a";
  const body = '{"event":"tryon.completed","job_id":"job_1","status":"failed"}';
  const headers = { "x-service-signature": await sign({ body, secret }) };
  const { ok } = safeVerifySync({ body, headers, secrets: secret });
  try {
    verifySync({ body, headers: {}, secrets: secret });
  } catch (error) {
    return [ok, isWebhookError(error, "missing_signature")];
  }
  return [ok];
}
