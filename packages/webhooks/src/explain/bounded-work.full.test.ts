import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import {
  arrived,
  causes,
  eventBody,
  explained,
  provenCauses,
  secret,
  signatureOf,
} from "../../test/explained.ts";

describe("the work is bounded", () => {
  it("in combinations, however many secrets there are", async () => {
    const secrets = Array.from({ length: 400 }, (_, index) => `whsec_${index}`);
    const headers = { "x-service-signature": signatureOf("another") };
    const explanation = await explained({ body: eventBody, headers, secrets });
    expect(explanation).toMatchObject({ tried: 20_000 });
    expect(JSON.stringify(explanation)).toContain("which is the bound");
  });

  it("in bytes, for a body of a mebibyte", async () => {
    const body = JSON.stringify({
      ...(JSON.parse(eventBody) as object),
      padding: "x".repeat(1_040_000),
    });
    const explanation = await arrived(body, "another");
    expect(causes(explanation)).toEqual(["nothing_fits"]);
    expect(explanation).toHaveProperty(
      "tried",
      expect.toSatisfy((tried: number) => tried <= 260),
    );
  });

  it("in what a compressed body may hold", async () => {
    const plain = Buffer.alloc(2_000_000);
    const headers = { "x-service-signature": signatureOf(plain) };
    const options = { body: gzipSync(plain), headers, secrets: secret };
    expect(causes(await explained(options))).toEqual(["body_compressed", "nothing_fits"]);
    const wider = await explained({ ...options, maxBodyBytes: 2_000_000 });
    expect(provenCauses(wider)).toEqual(["body_compressed"]);
  });

  it.each([
    ["as deep as is tried", 32, 10, ["body_rewritten"]],
    ["deeper", 33, 10, []],
    ["longer", 2, 65_536, []],
  ])("in how JSON is indented that is nested or long: %s", async (_, depth, length, expected) => {
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
  ])("also where a forger sends a million %s within the body", async (_, character) => {
    const body = `{${character.repeat(1_000_000)}}`;
    const headers = { "X-Service-Signature": signatureOf("other") };
    const explanation = await explained({ body, headers, secrets: secret });
    expect(provenCauses(explanation)).toEqual([]);
  });

  it("also where a forger sends thousands of spaces within the signature", async () => {
    const headers = { "X-Service-Signature": `a${" ".repeat(200_000)}b` };
    const explanation = await explained({ body: eventBody, headers, secrets: secret });
    expect(causes(explanation)).toContain("signature_prefix_missing");
  });
});
