import { isWebhookError, safeVerify, sign, signedRequest, verify } from "@tryon/webhooks";

/** Signs and verifies with Web Crypto, and refuses a changed body. */
export async function run(): Promise<unknown> {
  const secret = "whsec_a";
  const event = await verify({ body: await signedRequest({}, { secret }), secrets: secret });
  const headers = { "x-service-signature": await sign({ body: "{}", secret }) };
  const odd = await safeVerify({ body: "{}", headers, secrets: secret });
  const forged: unknown = await verify({ body: "{ }", headers, secrets: secret }).catch(
    (error: unknown) => error,
  );
  return [event.status, odd.ok || odd.code, isWebhookError(forged, "signature_mismatch")];
}
