import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { Signer } from "./signer.ts";

const signer = new Signer(() => "a secret");
const hmac = (...parts: readonly string[]): string =>
  createHmac("sha256", "a secret").update(JSON.stringify(parts)).digest("hex");

describe("a signer", () => {
  it("signs keys, tags and ids with HMAC-SHA-256, each for its use and user", async () => {
    expect(await signer.idempotencyKey("ada", "k")).toBe(hmac("idempotency-key", "ada", "k"));
    expect(await signer.userTag("ada")).toBe(hmac("user", "ada").slice(0, 32));
    expect(await signer.signId("job", "ada", "job_1")).toBe(
      `job_1${hmac("job", "ada", "job_1").slice(0, 32)}`,
    );
  });

  it("verifies an id only with its signature, for its use and user", async () => {
    const signed = await signer.signId("job", "ada", "job_1");
    expect(await signer.verifyId("job", "ada", signed)).toBe("job_1");
    expect(await signer.verifyId("job", "eve", signed)).toBeUndefined();
    expect(await signer.verifyId("cursor", "ada", signed)).toBeUndefined();
    for (let at = 0; at < signed.length; at += 1) {
      const changed = String.fromCharCode(signed.charCodeAt(at) ^ 1);
      const forged = `${signed.slice(0, at)}${changed}${signed.slice(at + 1)}`;
      expect(await signer.verifyId("job", "ada", forged)).toBeUndefined();
    }
    for (const other of ["", signed.slice(1), signed.slice(0, -1), `${signed}0`]) {
      expect(await signer.verifyId("job", "ada", other)).toBeUndefined();
    }
  });
});
