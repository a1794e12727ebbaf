import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { fingerprintOf } from "./fingerprint-of.ts";

it("tells keys apart, is the same in each release, and is undefined without a key", () => {
  // Journals have it.
  expect(fingerprintOf("svc_live_mock")).toBe(
    createHash("sha256").update("tryon-api-key svc_live_mock").digest("hex").slice(0, 16),
  );
  expect(fingerprintOf("svc_test_mock")).not.toBe(fingerprintOf("svc_live_mock"));
  expect(fingerprintOf("")).toBeUndefined();
});
