import { describe, expect, it, vi } from "vitest";

import type { Cause, ExplainOptions } from "../index.ts";
import {
  causes,
  eventBody,
  explained,
  provenCauses,
  secret,
  signatureOf,
} from "../../test/explained.ts";

const hexSecret = `whsec_${"0123456789abcdef".repeat(2)}`;

/** Explains a delivery that was signed with one key and is verified with another. */
async function verifiedWith(given: string, signedWith: string | Uint8Array) {
  const headers = { "x-service-signature": signatureOf(eventBody, signedWith) };
  const unseen = [given, eventBody, headers["x-service-signature"].slice(7)];
  if (typeof signedWith === "string") unseen.push(signedWith);
  return explained({ body: eventBody, headers, secrets: given }, ...unseen);
}

describe("a secret with a mistake is recognized", () => {
  it.each<[Cause, string, string, string | Uint8Array]>([
    ["secret_padded", "a line break written as two characters", `${secret}\\n`, secret],
    ["secret_padded", "a quote at one end", `'${secret}\r\n`, secret],
    ["secret_padded", "the signer's has a line break", secret, `${secret}\n`],
    ["secret_prefix", "no whsec_", secret.slice(6), secret],
    ["secret_prefix", "whsec_ twice", `whsec_${secret}`, secret],
    ["secret_prefix", "the signer took whsec_ off", secret, secret.slice(6)],
    ["secret_encoded", "stored in base64", Buffer.from(secret).toString("base64"), secret],
    ["secret_encoded", "stored in hexadecimal", Buffer.from(secret).toString("hex"), secret],
    ["secret_encoded", "decoded by the signer", hexSecret, Buffer.from(hexSecret.slice(6), "hex")],
    [
      "secret_encoded",
      "base64 decoded by the signer",
      "whsec_c2VjcmV0IQ==",
      Buffer.from("secret!"),
    ],
    ["secret_list_joined", "two in one text", `whsec_old,${secret}`, secret],
  ])("%s: %s", async (cause, _, given, signedWith) => {
    const explanation = await verifiedWith(given, signedWith);
    expect(explanation).toMatchObject({ ok: false, code: "signature_mismatch" });
    expect(provenCauses(explanation)).toEqual([cause]);
  });
});

describe("a secret of another kind", () => {
  const headers = { "x-service-signature": signatureOf(eventBody, secret) };
  const body = eventBody;

  it.each<[Cause, string, ExplainOptions["secrets"], Array<string | undefined>]>([
    ["secret_of_other_key", "otherSecrets[2]", "whsec_a", [undefined, "whsec_other", secret]],
    ["secret_of_other_key", "otherSecrets[0]", "whsec_a", [`${secret}\n`]],
    ["secret_padded", "secrets[2]", ["whsec_a", undefined, ` ${secret}"`], []],
  ])("is reported with its index: %s, %s", async (cause, place, secrets, otherSecrets) => {
    const explanation = await explained({ body, headers, secrets, otherSecrets }, secret);
    expect(provenCauses(explanation)).toEqual([cause]);
    expect(JSON.stringify(explanation)).toContain(`(${place})`);
  });

  it.each<[Cause, string]>([
    ["secret_is_api_key", "svc_live_abcdef"],
    ["secret_placeholder", "NaN"],
    ["secret_placeholder", "${TRYON_WEBHOOK_SECRET}"],
    ["secret_placeholder", "<secret>"],
    ["secret_prefix", "5f2b8c1d9e7a4037"],
    ["secret_padded", "whsec_wrong'"],
  ])("is reported as likely: %s", async (cause, secrets) => {
    const explanation = await explained({ body, headers, secrets }, secret);
    expect(provenCauses(explanation)).toEqual([]);
    expect(causes(explanation)).toEqual([cause, "nothing_fits"]);
  });
});

describe("unusable secrets", () => {
  const options = { body: eventBody, headers: { "x-service-signature": signatureOf(eventBody) } };

  it.each<[Cause, unknown]>([
    ["secret_missing", undefined],
    ["secret_missing", [undefined, undefined]],
    ["secret_missing", []],
    ["secret_missing", ""],
    ["secret_missing", [secret, " \n"]],
    ["secret_placeholder", "undefined"],
    ["secret_placeholder", [secret, " null\n"]],
    ["secret_missing", [secret, 7]],
    ["secret_padded", `"${secret}"`],
    ["secret_padded", [secret, ` '${secret}'\r\n`]],
    ["secret_list_joined", `${secret}\nwhsec_other`],
    ["secret_placeholder", "<your secret>"],
    ["secret_is_api_key", '"svc_test_abcdef"'],
    ["secret_missing", null],
    ["secret_source_failed", () => Promise.reject(new Error(secret))],
    ["secret_missing", () => ["", secret]],
  ])("%s", async (cause, secrets) => {
    // The types forbid some values and JavaScript allows them.
    const explanation = await explained({ ...options, secrets: secrets as string }, secret);
    expect(explanation).toMatchObject({ code: "invalid_secret" });
    expect(causes(explanation)).toEqual([cause]);
  });

  it("are requested once", async () => {
    const secrets = vi.fn<() => string>(() => "whsec_a");
    await explained({ ...options, secrets });
    expect(secrets).toHaveBeenCalledTimes(1);
  });
});
