import { JobFailedError, TryOn, TryOnError, type TryOnErrorCode } from "@tryon/client";
import { describe, expect, test } from "vitest";

import { errorWords } from "./error-words.ts";

// A new code of the client does not compile here before it stands in the list.
const codes = Object.keys({
  bad_request: true,
  unauthorized: true,
  insufficient_credits: true,
  payment_failed: true,
  forbidden: true,
  not_found: true,
  idempotency_conflict: true,
  purchase_already_processed: true,
  payload_too_large: true,
  validation_failed: true,
  rate_limited: true,
  server_error: true,
  unavailable: true,
  redirected: true,
  unexpected_response: true,
  connection_failed: true,
  timed_out: true,
  wait_timed_out: true,
  outcome_unknown: true,
  job_failed: true,
  result_expired: true,
  result_purged: true,
  invalid_input: true,
  budget_exceeded: true,
  batch_stopped: true,
  unsafe_environment: true,
  invalid_config: true,
} satisfies Record<TryOnErrorCode, true>) as TryOnErrorCode[];

/** An error as the client makes it, with a message that visitors would not understand. */
const errorOf = (code: TryOnErrorCode, details = {}): TryOnError =>
  new TryOnError(code, "baseUrl (TRYON_BASE_URL) is no address.", details);

describe("what visitors read of an error", () => {
  test.each(codes)("%s is told in two plain sentences, without the shop's own matters", (code) => {
    for (const jobKnown of [false, true]) {
      const { title, advice } = errorWords(errorOf(code), jobKnown);
      expect(title).toMatch(/^[A-Z][^.]+$/);
      expect(advice).toMatch(/^[A-Z].+\.$/);
      expect(`${title} ${advice}`).not.toMatch(/key|credit|api|http|baseUrl|proxy|server|_/i);
    }
  });

  test.each(codes)("%s never says of a known job that nothing was made", (code) => {
    const { advice, remedy } = errorWords(errorOf(code), true);
    expect(remedy === "wait" ? advice : "").not.toContain("Nothing was made");
    // Making it once more would be paid once more.
    expect(remedy).not.toBe("again");
  });

  test.each([
    ["outcome_unknown", "find out"],
    ["server_error", "find out"],
    ["idempotency_conflict", "find out"],
    ["wait_timed_out", "wait"],
    ["connection_failed", "again"],
    ["invalid_input", "change"],
    ["unauthorized", "reload"],
  ] as const)("%s is mended with: %s", (code, remedy) => {
    expect(errorWords(errorOf(code)).remedy).toBe(remedy);
  });

  test.each([
    [12.2, "Nothing was made. Try again in 13 seconds."],
    [170, "Nothing was made. Try again in 3 minutes."],
    [undefined, "Nothing was made. Try again in a moment."],
  ])("a limit that ends in %s s says so", (retryAfter, advice) => {
    expect(errorWords(errorOf("rate_limited", { retryAfter })).advice).toBe(advice);
  });

  test("refused content is not a failure like others", () => {
    const tryon = new TryOn({ apiKey: "svc_test_mock", baseUrl: "http://localhost" });
    const failed = (error_message: string) =>
      errorWords(
        new JobFailedError(
          tryon.jobs.resume({
            id: "job_1",
            data: { job_id: "job_1", status: "failed", error_message },
          }),
        ),
        true,
      ).title;
    expect(failed("content_blocked")).toBe("This cannot be shown");
    expect(failed("model_rejected")).toBe("It did not work out this time");
  });

  test("an error of the page itself is one", () => {
    expect(errorWords(new RangeError("x is not iterable")).title).toContain("in this page");
  });
});
