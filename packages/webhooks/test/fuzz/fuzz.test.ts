import * as fc from "fast-check";
import { expect, it } from "vitest";

import { safeVerify } from "../../src/index.ts";
import { checkOutcomes, oracleProperty, verifySync, type Verifier } from "./property.ts";

it("verifies changed deliveries as the oracle does, with both back ends and the same messages", async () => {
  expect(await checkOutcomes(2_000, { verify: safeVerify, other: verifySync })).toEqual([]);
});

it("verifies unread bodies as the oracle does", async () => {
  expect(await checkOutcomes(1_000, { verify: safeVerify, streams: true })).toEqual([]);
});

it.each<[string, Verifier, Verifier?]>([
  ["always rejects", () => ({ ok: false, code: "signature_mismatch", message: "Rejected." })],
  [
    "throws",
    () => {
      throw new RangeError("hostile");
    },
  ],
  [
    "has another message",
    verifySync,
    (options) => ({ ...verifySync(options), message: "Another message." }),
  ],
])("fails for a verifier that %s", async (_name, verify, other = verify) => {
  const { property } = oracleProperty({ verify, other });
  expect(await fc.check(property, { numRuns: 100, endOnFailure: true })).toHaveProperty(
    "failed",
    true,
  );
});
