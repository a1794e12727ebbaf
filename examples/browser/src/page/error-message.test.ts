import { JobFailedError, TryOn, TryOnError, type TryOnErrorCode } from "@tryon/client";
import { expect, test } from "vitest";

import { errorMessage, messages } from "./error-message.ts";

// The type of `messages` requires a message for each code.
const codes = Object.keys(messages) as TryOnErrorCode[];

const createError = (code: TryOnErrorCode, details = {}): TryOnError =>
  new TryOnError(code, "baseUrl (TRYON_BASE_URL) must be a URL.", details);

test.each(codes)("describes %s in plain sentences, without details of the shop", (code) => {
  for (const hasJob of [false, true]) {
    const { title, advice } = errorMessage(createError(code), hasJob);
    expect(title).toMatch(/^[A-Z][^.]+$/);
    expect(advice).toMatch(/^[A-Z].+\.$/);
    expect(`${title} ${advice}`).not.toMatch(/key|credit|api|http|baseUrl|proxy|server|_/i);
  }
});

test.each(codes)("never offers to pay for a known job again after %s", (code) => {
  const { advice, action } = errorMessage(createError(code), true);
  expect(action === "wait" ? advice : "").not.toContain("Nothing was made");
  expect(action).not.toBe("retry");
});

test.each([
  ["outcome_unknown", "check"],
  ["server_error", "check"],
  ["idempotency_conflict", "check"],
  ["wait_timed_out", "wait"],
  ["connection_failed", "retry"],
  ["invalid_input", "edit"],
  ["unauthorized", "reload"],
] as const)("offers after %s the action %s", (code, action) => {
  expect(errorMessage(createError(code)).action).toBe(action);
});

test.each([
  [12.2, "Nothing was made. Try again in 13 seconds."],
  [170, "Nothing was made. Try again in 3 minutes."],
  [undefined, "Nothing was made. Try again in a moment."],
])("shows a rate limit of %s seconds", (retryAfter, advice) => {
  expect(errorMessage(createError("rate_limited", { retryAfter })).advice).toBe(advice);
});

test.each([
  ["content_blocked", "This content is not allowed"],
  ["model_rejected", "Your image could not be made"],
])("describes a job that failed with %s", (error_message, title) => {
  const tryon = new TryOn({ apiKey: "svc_test_mock", baseUrl: "http://localhost" });
  const data = { job_id: "job_1", status: "failed", error_message };
  const error = new JobFailedError(tryon.jobs.resume({ id: "job_1", data }));
  expect(errorMessage(error, true).title).toBe(title);
});

test("describes any other error as one of the page", () => {
  expect(errorMessage(new RangeError("x is not iterable")).title).toBe("This page has an error");
});
