import { TryOn, TryOnError, type TryOnErrorCode } from "@tryon/client";
import { expect, it } from "vitest";

import { classifyError, provesNoJob, type ErrorAction } from "./classify-error.ts";

it.each<[TryOnErrorCode, ErrorAction, boolean]>([
  ["invalid_input", "fail", true],
  ["bad_request", "fail", true],
  ["validation_failed", "fail", true],
  ["payload_too_large", "fail", true],
  ["rate_limited", "wait", true],
  ["too_many_refusals", "stop", true],
  ["insufficient_credits", "stop", true],
  ["budget_exceeded", "stop", true],
  ["unauthorized", "stop", true],
  ["forbidden", "stop", true],
  ["connection_failed", "retry", true],
  ["outcome_unknown", "retry", false],
  ["server_error", "retry", false],
  ["unavailable", "retry", false],
  ["idempotency_conflict", "retry", false],
])("%s leads to the action %s, and proves that no job exists: %s", (code, action, proof) => {
  const error = new TryOnError(code, "Message.");
  expect(classifyError(error)).toBe(action);
  expect(provesNoJob(error)).toBe(proof);
});

it("retries after an error that is not from the client, which proves nothing", () => {
  expect(classifyError(new Error("disk full"))).toBe("retry");
  expect(provesNoJob(new Error("disk full"))).toBe(false);
});

it("does not take an error with a job as proof, whatever its code", () => {
  const tryon = new TryOn({ apiKey: "svc_test_one", baseUrl: "https://tryon.test" });
  const error = new TryOnError("unauthorized", "Message.", { job: tryon.jobs.resume("job_1") });
  expect(provesNoJob(error)).toBe(false);
});
