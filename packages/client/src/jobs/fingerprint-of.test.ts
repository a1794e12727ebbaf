import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { fingerprintOf, sha256 } from "./fingerprint-of.ts";

it("digests messages of any length as SHA-256 does", () => {
  for (let length = 0; length < 200; length += 1) {
    const message = Uint8Array.from({ length }, (_unused, at) => (at * 7 + length) % 256);
    const digest = Array.from(sha256(message), (word) =>
      (word >>> 0).toString(16).padStart(8, "0"),
    );
    expect(digest.join("")).toBe(createHash("sha256").update(message).digest("hex"));
  }
});

it("tells keys apart, is the same in each release, and is undefined without a key", () => {
  // Journals have it.
  expect(fingerprintOf("svc_live_mock")).toBe(
    createHash("sha256").update("tryon-api-key svc_live_mock").digest("hex").slice(0, 16),
  );
  expect(fingerprintOf("svc_test_mock")).not.toBe(fingerprintOf("svc_live_mock"));
  expect(fingerprintOf("")).toBeUndefined();
});
