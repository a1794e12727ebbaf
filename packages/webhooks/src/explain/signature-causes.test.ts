import { describe, expect, it } from "vitest";

import type { Cause } from "../index.ts";
import {
  causes,
  digestOf,
  eventBody,
  explained,
  leaked,
  secret,
  signatureOf,
} from "../../test/explained.ts";

const hex = digestOf(eventBody).toString("hex");
const base64 = digestOf(eventBody).toString("base64");
const sha1 = digestOf(eventBody, secret, "sha1").toString("hex");

/** Explains the event with these headers. */
const explainHeaders = (headers: Record<string, unknown>, secrets: string | undefined = secret) =>
  explained(
    // The types forbid some values and JavaScript allows them.
    { body: eventBody, headers: headers as Record<string, string>, secrets },
    secret,
    eventBody,
    hex,
    base64,
    sha1,
    ...Object.values(headers).flatMap((value) =>
      typeof value === "string" && value.length > 20 ? [value] : [],
    ),
  );

describe("a malformed signature", () => {
  it.each<[readonly Cause[], unknown, string?]>([
    [["signature_base64"], `sha256=${base64}`],
    [["signature_prefix", "signature_base64"], base64],
    [["signature_prefix"], hex],
    [["signature_prefix"], `SHA256=${hex}`],
    [["signature_prefix"], `Sha256=${hex.toUpperCase()}`],
    [["signature_prefix"], `sha256:${hex}`],
    [["signature_prefix"], `hmac-sha256=${hex}`],
    [["signature_prefix"], `v1=${hex}`],
    [["signature_padded"], ` sha256=${hex}\n`],
    [["signature_padded"], `"sha256=${hex}"`],
    [["signature_not_hex"], `sha256=${hex.match(/../g)?.join(":")}`],
    [["signature_not_hex"], `sha256=0x${hex}`],
    [["signature_not_hex"], `sha256=${hex.slice(1)}g`],
    [["signature_length"], `sha256=${hex.slice(1)}`],
    [["signature_length"], `sha256=${hex}0`],
    [["signature_length"], `sha256=${sha1}`],
    [["signature_empty"], "sha256="],
    [["signature_empty"], ""],
    [["signature_empty"], 7],
    [["signature_base64", "secret_padded"], `sha256=${base64}`, `${secret}'`],
    [["signature_prefix", "nothing_fits"], digestOf("another").toString("hex")],
    [["signature_prefix", "nothing_fits"], hex, ""],
  ])("has the causes %j: %s", async (expected, value, secrets) => {
    const explanation = await explainHeaders({ "x-service-signature": value }, secrets);
    expect(explanation).toMatchObject({ ok: false, code: "malformed_signature" });
    expect(causes(explanation)).toEqual(expected);
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
  ])("has the causes %j", async (expected, value) => {
    const explanation = await explainHeaders({ "X-Service-Signature": value });
    expect(explanation).toMatchObject({ code: "multiple_signatures" });
    expect(causes(explanation)).toEqual(expected);
  });
});

describe("no signature header", () => {
  const others = { "X-Hub-Signature-256": "sha256=4711", "X-Secret-Name": "4712" };

  it.each<[readonly Cause[], Record<string, string>]>([
    [["headers_missing"], {}],
    [["signature_header_missing"], { accept: "*/*; v=4711" }],
    [["signature_header_missing", "signature_header_other"], others],
  ])("has the causes %j", async (expected, headers) => {
    const explanation = await explainHeaders(headers);
    expect(explanation).toMatchObject({ code: "missing_signature" });
    expect(causes(explanation)).toEqual(expected);
  });

  it("names only the signature header of another service", async () => {
    const text = JSON.stringify(await explainHeaders(others));
    expect(text).toContain("x-hub-signature-256");
    expect(leaked(text.toLowerCase(), ["x-secret-name", "4711"])).toEqual([]);
  });
});
