import { describe, expect, it } from "vitest";

import type { Cause } from "../index.ts";
import {
  causes,
  digestOf,
  eventBody,
  explained,
  leaked,
  provenCauses,
  secret,
  signatureOf,
} from "../../test/explained.ts";

const hex = digestOf(eventBody).toString("hex");
const base64 = digestOf(eventBody).toString("base64");
const sha1 = digestOf(eventBody, secret, "sha1");
const sha512 = digestOf(eventBody, secret, "sha512");

const unseen = [secret, eventBody, hex, base64, sha1.toString("hex"), sha512.toString("base64")];

const carrying = (value: string, secrets: string = secret) =>
  explained(
    { body: eventBody, headers: { "x-service-signature": value }, secrets },
    ...unseen,
    value.length > 20 ? value : "",
  );

describe("a signature in another form is named as what it is, and tried all the same", () => {
  it.each<[readonly Cause[], string]>([
    [["signature_base64"], `sha256=${base64}`],
    [["signature_prefix_missing", "signature_base64"], base64],
    [["signature_prefix_missing"], hex],
    [["signature_prefix_case"], `SHA256=${hex}`],
    [["signature_prefix_case"], `Sha256=${hex.toUpperCase()}`],
    [["signature_prefix_wrong"], `sha256:${hex}`],
    [["signature_prefix_wrong"], `hmac-sha256=${hex}`],
    [["signature_prefix_wrong", "signature_other_hash"], `sha1=${sha1.toString("hex")}`],
    [["signature_prefix_wrong", "signature_other_hash"], `sha512=${sha512.toString("hex")}`],
    [["signature_other_hash"], `sha256=${sha1.toString("hex")}`],
    [["signature_base64", "signature_other_hash"], `sha256=${sha512.toString("base64")}`],
    [["signature_of_other_service"], `v1=${hex}`],
    [["signature_padded"], ` sha256=${hex}\n`],
    [["signature_padded"], `"sha256=${hex}"`],
    [["signature_not_hex"], `sha256=${hex.match(/../g)?.join(":")}`],
    [["signature_not_hex"], `sha256=0x${hex}`],
  ])("%s", async (expected, value) => {
    const explanation = await carrying(value);
    expect(explanation).toMatchObject({ ok: false, code: "malformed_signature" });
    expect(causes(explanation)).toEqual(expected);
    expect(explanation).toHaveProperty("tried", 1);
  });

  it("is told together with a trouble of the secret", async () => {
    const explanation = await carrying(`sha256=${base64}`, `${secret}\n`);
    expect(provenCauses(explanation)).toEqual(["signature_base64", "secret_padded"]);
  });

  it("is told also where nothing fits", async () => {
    const explanation = await carrying(digestOf("another").toString("hex"));
    expect(causes(explanation)).toEqual(["signature_prefix_missing", "nothing_fits"]);
  });

  it.each<[Cause, string]>([
    ["signature_length", `sha256=${hex.slice(1)}`],
    ["signature_length", `sha256=${hex}0`],
    ["signature_not_hex", `sha256=${hex.slice(1)}g`],
    ["signature_empty", "sha256="],
    ["signature_empty", ""],
  ])("cannot be tried: %s of %s", async (cause, value) => {
    const explanation = await carrying(value);
    expect(explanation).toMatchObject({ code: "malformed_signature", tried: 0 });
    expect(causes(explanation)).toEqual([cause]);
  });

  it("is looked at also where the secret is missing", async () => {
    const headers = { "x-service-signature": hex };
    const explanation = await explained({ body: eventBody, headers, secrets: undefined });
    expect(causes(explanation)).toEqual(["signature_prefix_missing", "nothing_fits"]);
  });

  it("is no text", async () => {
    // What the types forbid, JavaScript allows.
    const headers = { "x-service-signature": 7 } as unknown as Record<string, string>;
    const explanation = await explained({ body: eventBody, headers, secrets: secret });
    expect(causes(explanation)).toEqual(["signature_not_text"]);
  });
});

describe("more than one signature", () => {
  it.each<[readonly Cause[], string | string[]]>([
    [["signature_repeated"], [`sha256=${hex}`, `sha256=${hex}`]],
    [["signature_repeated"], `sha256=${hex}, sha256=${hex}`],
    [
      ["signature_repeated", "nothing_fits"],
      [signatureOf("a"), signatureOf("a")],
    ],
    [["signature_contradicted"], [`sha256=${hex}`, signatureOf("a")]],
    [["signature_of_other_service"], `t=1767268848,v1=${hex}`],
  ])("%s", async (expected, value) => {
    const headers = { "X-Service-Signature": value };
    const explanation = await explained({ body: eventBody, headers, secrets: secret }, ...unseen);
    expect(explanation).toMatchObject({ code: "multiple_signatures" });
    expect(causes(explanation)).toEqual(expected);
  });
});

const lacking = (headers: Record<string, string>) =>
  explained({ body: eventBody, headers, secrets: secret }, ...unseen, ...Object.values(headers));

describe("no signature header", () => {
  it.each<[readonly Cause[], Record<string, string>]>([
    [["headers_missing"], {}],
    [["signature_header_missing"], { accept: "*/*; v=4711" }],
    [["signature_header_renamed"], { HTTP_X_SERVICE_SIGNATURE: `sha256=${hex}` }],
    [["signature_header_renamed"], { x_service_signature: `sha256=${hex}` }],
    [
      ["signature_header_missing", "signature_header_other"],
      { "X-Hub-Signature-256": "sha256=4711" },
    ],
  ])("%s", async (expected, headers) => {
    const explanation = await lacking(headers);
    expect(explanation).toMatchObject({ code: "missing_signature", tried: 0 });
    expect(causes(explanation)).toEqual(expected);
  });

  it("tells which of the service's headers came, and signature headers of others", async () => {
    const explanation = await lacking({
      "X-Service-Event": "tryon.completed",
      "X-Hub-Signature-256": "sha256=4711",
      "X-Secret-Name": "4712",
    });
    const text = JSON.stringify(explanation);
    expect(text).toContain("but x-service-event came");
    expect(text).toContain("x-hub-signature-256");
    expect(leaked(text.toLowerCase(), ["x-secret-name", "4711"])).toEqual([]);
  });
});
