import { gzipSync } from "node:zlib";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import {
  arrived,
  causes,
  eventBody,
  explained,
  provenCauses,
  secret,
  signatureOf,
} from "../../test/explained.ts";

describe("the work is limited", () => {
  it("to 256 MiB of hashed bytes, with a body of a mebibyte and 20 secrets", async () => {
    const sign = vi.spyOn(crypto.subtle, "sign");
    onTestFinished(() => sign.mockRestore());
    const secrets = Array.from({ length: 20 }, (_, index) => `whsec_${index}`);
    const padding = "x".repeat(1_040_000);
    const body = JSON.stringify({ ...(JSON.parse(eventBody) as object), padding });
    const headers = { "x-service-signature": signatureOf("another") };
    const explanation = await explained({ body, headers, secrets });
    expect(causes(explanation)).toEqual(["nothing_fits"]);
    const bytes = sign.mock.calls.map(([, , data]) => data.byteLength);
    // 20 for `verify`, and the explanation.
    expect(bytes.reduce((sum, length) => sum + length)).toBeLessThan(20 * body.length + 2 ** 28);
    expect(bytes.length).toBeGreaterThan(250);
  });

  it("to maxBodyBytes of a compressed body", async () => {
    const plain = Buffer.alloc(2_000_000);
    const headers = { "x-service-signature": signatureOf(plain) };
    const options = { body: gzipSync(plain), headers, secrets: secret };
    expect(causes(await explained(options))).toEqual(["body_compressed", "nothing_fits"]);
    const wider = await explained({ ...options, maxBodyBytes: 2_000_000 });
    expect(provenCauses(wider)).toEqual(["body_compressed"]);
  });

  it.each([
    ["at the limit of depth", 64, 10, ["body_rewritten"]],
    ["deeper", 65, 10, []],
    ["longer", 2, 65_536, []],
  ])("for JSON that is nested or long: %s", async (_, depth, length, expected) => {
    const body = `${"[".repeat(depth)}"${"x".repeat(length)}"${"]".repeat(depth)}`;
    const signed = JSON.stringify(JSON.parse(body), null, 2);
    expect(provenCauses(await arrived(body, signed))).toEqual(expected);
  });

  it.each([
    ["nested deep", "[".repeat(200_000) + "]".repeat(200_000)],
    ["nested deep in little", "[".repeat(5_000) + "]".repeat(5_000)],
    ["a bomb of gzip", gzipSync(Buffer.alloc(20_000_000))],
    ["a broken gzip", Uint8Array.of(0x1f, 0x8b, 1, 2, 3)],
    ["a broken escape", "%E0%A4%A=%"],
  ])("for a body that is %s", async (_, body) => {
    expect(causes(await arrived(body, "another"))).toContain("nothing_fits");
  });

  it.each([
    ["line breaks", "\n"],
    ["spaces", " "],
  ])("for a million %s in the body", async (_, character) => {
    const body = `{${character.repeat(1_000_000)}}`;
    const headers = { "X-Service-Signature": signatureOf("other") };
    const explanation = await explained({ body, headers, secrets: secret });
    expect(provenCauses(explanation)).toEqual([]);
  });

  it("for thousands of spaces in the signature", async () => {
    const headers = { "X-Service-Signature": `a${" ".repeat(200_000)}b` };
    const explanation = await explained({ body: eventBody, headers, secrets: secret });
    expect(causes(explanation)).toContain("signature_prefix");
  });
});
