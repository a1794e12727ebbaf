import type { TryOnErrorCode } from "@tryon/client";
import type { SessionError } from "@tryon/client/session";
import { expect, test } from "vitest";

import { errorMessage, messages } from "./error-message.ts";

// The type of `messages` requires a message for each code.
const codes = Object.keys(messages) as TryOnErrorCode[];

const createError = (
  code: SessionError["code"],
  details: Partial<SessionError> = {},
): SessionError => ({
  code,
  message: "baseUrl (TRYON_BASE_URL) must be a URL.",
  isContentBlocked: false,
  retryAfter: undefined,
  ...details,
});

test.each(codes)("describes %s in plain sentences, without details of the shop", (code) => {
  for (const hasJob of [false, true]) {
    const { title, advice } = errorMessage(createError(code), { hasJob });
    expect(title).toMatch(/^[A-Z][^.]+$/);
    expect(advice).toMatch(/^[A-Z].+\.$/);
    expect(`${title} ${advice}`).not.toMatch(
      /key|credit|charge|cost|pay|free|code|api|http|baseUrl|proxy|server|_/i,
    );
  }
});

test.each(codes)("never offers to pay for a known job again after %s", (code) => {
  const { advice, action } = errorMessage(createError(code), { hasJob: true });
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
  [true, "This content is not allowed"],
  [false, "Your image could not be made"],
])("describes a failed job whose content was blocked: %s", (isContentBlocked, title) => {
  expect(errorMessage(createError("job_failed", { isContentBlocked })).title).toBe(title);
});

test("offers a new try-on if the old one cannot be continued", () => {
  const error = createError("outcome_unknown");
  expect(errorMessage(error, { canResume: false }).action).toBe("edit");
});

test("describes any other error as one of the page", () => {
  expect(errorMessage(createError("unexpected")).title).toBe("This page has an error");
});
