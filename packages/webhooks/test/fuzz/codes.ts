import { expect } from "vitest";

/** What deliveries can come to. */
const codes = [
  "ok",
  "missing_signature",
  "malformed_signature",
  "multiple_signatures",
  "invalid_secret",
  "raw_body_required",
  "body_too_large",
  "signature_mismatch",
  "invalid_json",
  "invalid_event",
  "header_mismatch",
  "stale_event",
];

/** Every one of them, each so many times or more. */
export function codesAtLeast(times: number): Record<string, unknown> {
  const enough = expect.toSatisfy(
    (count: unknown) => typeof count === "number" && count >= times,
    `at least ${times}`,
  ) as unknown;
  return Object.fromEntries(codes.map((code) => [code, enough]));
}
