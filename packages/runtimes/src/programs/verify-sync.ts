import { isWebhookError, sign } from "@tryon/webhooks";
import { safeVerifySync, verifySync } from "@tryon/webhooks/node";

/** Verifies with the synchronous functions, and recognizes an error of another entry point. */
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
