import { expect, test } from "vitest";

import { resumeStep } from "./resume-step.ts";

const now = 1_800_000_000_000;
const window = 1_620_000;
const entry = { id: "a", idempotencyKey: "key", digest: "00", sync: false, sentAt: now };
const job = { id: "job_1" };
const rows = [
  [{}, "resend"],
  [{ sentAt: now - window }, "resend"],
  [{ sentAt: now - window - 1 }, "find"],
  [{ sentAt: now + 1 }, "find"],
  [{ job }, "wait"],
  [{ job, sentAt: now - window - 1 }, "wait"],
  [{ job, sentAt: now + 1 }, "wait"],
] as const;

test.each([undefined, "refused"] as const)("a new submission of an item: %s", (state) => {
  for (const [more] of rows) {
    expect(resumeStep(state && { ...entry, state, ...more }, now, window)).toBe("send");
  }
});

test.each(["sending", "submitted", "succeeded", "failed"] as const)("%s: each row", (state) => {
  for (const [more, step] of rows) {
    expect(resumeStep({ ...entry, state, ...more }, now, window), JSON.stringify(more)).toBe(step);
  }
});
