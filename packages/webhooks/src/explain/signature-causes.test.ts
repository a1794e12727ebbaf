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

const confidential = [
  secret,
  eventBody,
  hex,
  base64,
  sha1.toString("hex"),
  sha512.toString("base64"),
];

const carrying = (value: string, secrets: string = secret) =>
  explained(
    { body: eventBody, headers: { "x-service-signature": value }, secrets },
    ...confidential,
    value.length > 20 ? value : "",
  );

describe("a signature in another format is recognized and compared", () => {
  it.each<[readonly Cause[], string]>([
    [["signature_base64"], `sha256=${base64}`],
    [["signature_prefix", "signature_base64"], base64],
    [["signature_prefix"], hex],
    [["signature_prefix"], `SHA256=${hex}`],
    [["signature_prefix"], `Sha256=${hex.toUpperCase()}`],
    [["signature_prefix"], `sha256:${hex}`],
    [["signature_prefix"], `hmac-sha256=${hex}`],
    [["signature_prefix", "signature_other_hash"], `sha1=${sha1.toString("hex")}`],
    [["signature_prefix", "signature_other_hash"], `sha512=${sha512.toString("hex")}`],
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
  });

  it("is reported with a mistake in the secret", async () => {
    const explanation = await carrying(`sha256=${base64}`, `${secret}\n`);
    expect(provenCauses(explanation)).toEqual(["signature_base64", "secret_padded"]);
  });

  it("is reported if nothing fits, too", async () => {
    const explanation = await carrying(digestOf("another").toString("hex"));
    expect(causes(explanation)).toEqual(["signature_prefix", "nothing_fits"]);
  });

  it.each<[Cause, string]>([
    ["signature_length", `sha256=${hex.slice(1)}`],
    ["signature_length", `sha256=${hex}0`],
    ["signature_not_hex", `sha256=${hex.slice(1)}g`],
    ["signature_empty", "sha256="],
    ["signature_empty", ""],
  ])("cannot be compared: %s of %s", async (cause, value) => {
    const explanation = await carrying(value);
    expect(explanation).toMatchObject({ code: "malformed_signature" });
    expect(causes(explanation)).toEqual([cause]);
  });

  it("is inspected if the secret is missing, too", async () => {
    const headers = { "x-service-signature": hex };
    const explanation = await explained({ body: eventBody, headers, secrets: undefined });
    expect(causes(explanation)).toEqual(["signature_prefix", "nothing_fits"]);
  });

  it("is not text", async () => {
    // What the types forbid, JavaScript allows.
    const headers = { "x-service-signature": 7 } as unknown as Record<string, string>;
    const explanation = await explained({ body: eventBody, headers, secrets: secret });
    expect(causes(explanation)).toEqual(["signature_empty"]);
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
    const explanation = await explained(
      { body: eventBody, headers, secrets: secret },
      ...confidential,
    );
    expect(explanation).toMatchObject({ code: "multiple_signatures" });
    expect(causes(explanation)).toEqual(expected);
  });
});

const explainHeaders = (headers: Record<string, string>) =>
  explained(
    { body: eventBody, headers, secrets: secret },
    ...confidential,
    ...Object.values(headers),
  );

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
    const explanation = await explainHeaders(headers);
    expect(explanation).toMatchObject({ code: "missing_signature" });
    expect(causes(explanation)).toEqual(expected);
  });

  it("lists the headers of the service and the signature headers of others", async () => {
    const explanation = await explainHeaders({
      "X-Service-Event": "tryon.completed",
      "X-Hub-Signature-256": "sha256=4711",
      "X-Secret-Name": "4712",
    });
    const text = JSON.stringify(explanation);
    expect(text).toContain("x-service-event arrived");
    expect(text).toContain("x-hub-signature-256");
    expect(leaked(text.toLowerCase(), ["x-secret-name", "4711"])).toEqual([]);
  });
});
