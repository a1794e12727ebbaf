import { assert, constantFrom, nat, property, string } from "fast-check";
import { expect, test } from "vitest";

import { decoded } from "../../test/decoded.ts";
import { Redactor } from "./redactor.ts";

const secrets = ["svc_live_4fQ-z_9AbCdEf", "svc_test_mock", "svc_test_mock2", "whsec_Zm9vYmFy~?>"];
const redactor = new Redactor(...secrets);

const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const encodings = {
  plain: (text: string) => text,
  base64: (text: string) => Buffer.from(text).toString("base64"),
  base64url: (text: string) => Buffer.from(text).toString("base64url"),
  hex: (text: string) => Buffer.from(text).toString("hex"),
  "upper-case hex": (text: string) => Buffer.from(text).toString("hex").toUpperCase(),
  percent,
  "upper-case percent": (text: string) => percent(text).toUpperCase(),
  "partial percent": (text: string) => text.replaceAll(/[_-]/g, percent),
};
const neighbors = string({ unit: "grapheme-ascii", maxLength: 9 });

test.each(Object.entries(encodings))("leaves no part of a secret in %s", (_name, encode) => {
  assert(
    property(constantFrom(...secrets), neighbors, neighbors, (secret, before, after) => {
      const text = redactor.redact(encode(`${before}${secret}${after}`));
      // The kind may be shown, and nothing that follows it.
      expect(decoded(text)).not.toContain(secret.slice(6, -1));
    }),
  );
  assert(
    property(constantFrom(...secrets), nat(80), (secret, start) => {
      const text = `${"!".repeat(start)}${encode(secret)}${"!".repeat(200)}`;
      const cut = redactor.redactStart(text, 40);
      expect(cut.length).toBeLessThanOrEqual(200);
      expect(decoded(cut)).not.toContain(secret.slice(9, 13));
    }),
  );
});

test("keeps other text, and the kind of a key", () => {
  const text =
    "GET /api/v1/account responded 200 with iVBORw0KGgoAAAANSUhEUgAA and cafe0123456789ab";
  expect(redactor.redact(text)).toBe(text);
  expect(redactor.redact("Bearer svc_test_mock2, svc_live_another1")).toBe(
    "Bearer svc_test_…, svc_live_…",
  );
});

test("redacts the causes of an error", () => {
  const cause = new DOMException("It has svc_test_mock.", "AbortError");
  const error = redactor.redactError(new Error(`With ${percent("svc_test_mock")}`, { cause }));
  expect(decoded(String(error) + String(cause))).not.toContain("svc_test_mock");
});
