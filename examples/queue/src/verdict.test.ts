import { TryOnError, TryOn, isTryOnError, type TryOnErrorCode } from "@tryon/client";
import { describe, expect, it } from "vitest";

import { provesNothingHappened, verdictOn, type Verdict } from "./verdict.ts";

/** Each code, what becomes of the item, and whether it proves that there is no job. */
const table: readonly (readonly [TryOnErrorCode, Verdict, boolean])[] = [
  ["invalid_input", "failed", true],
  ["bad_request", "failed", true],
  ["validation_failed", "failed", true],
  ["payload_too_large", "failed", true],
  ["rate_limited", "slower", true],
  ["insufficient_credits", "stopped", true],
  ["budget_exceeded", "stopped", true],
  ["unauthorized", "stopped", true],
  ["forbidden", "stopped", true],
  ["connection_failed", "retried", true],
  ["outcome_unknown", "retried", false],
  ["server_error", "retried", false],
  ["unavailable", "retried", false],
  ["idempotency_conflict", "retried", false],
];

describe("an error of a submission", () => {
  it.each(table)("%s: the item is %s; proof that nothing happened: %s", (code, verdict, proof) => {
    const error = new TryOnError(code, "Said so.");
    expect(verdictOn(error)).toBe(verdict);
    expect(provesNothingHappened(error)).toBe(proof);
  });

  it("that is none of the client's proves nothing, and the item is tried again", () => {
    expect(verdictOn(new Error("disk full"))).toBe("retried");
    expect(provesNothingHappened(new Error("disk full"))).toBe(false);
  });

  it("that has a job with it proves nothing, whatever it is", () => {
    const tryon = new TryOn({ apiKey: "svc_test_one", baseUrl: "https://tryon.test" });
    const error = new TryOnError("unauthorized", "Said so.", { job: tryon.jobs.resume("job_1") });
    expect(isTryOnError(error, "unauthorized")).toBe(true);
    expect(provesNothingHappened(error)).toBe(false);
  });
});
