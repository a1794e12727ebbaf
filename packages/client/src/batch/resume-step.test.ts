import { expect, test } from "vitest";

import type { JournalState } from "./journal.ts";
import { resumeStep, type ResumeStep } from "./resume-step.ts";

const now = 1_800_000_000_000;
const window = 1_620_000;
const job = { id: "job_1" };

const entryOf = (state: JournalState, more: object) => ({
  id: "a",
  state,
  idempotencyKey: "key",
  digest: "00",
  sync: false,
  sentAt: now,
  ...more,
});

const states: readonly JournalState[] = ["sending", "submitted", "succeeded", "failed"];
const rows: readonly (readonly [JournalState, object, ResumeStep])[] = [
  ["refused", {}, "send"],
  ["refused", { job }, "send"],
  ["refused", { sentAt: now - window - 1 }, "send"],
  ...states.flatMap((state) =>
    [
      [{}, "resend"],
      [{ sentAt: now - 1 }, "resend"],
      [{ sentAt: now - window }, "resend"],
      [{ sentAt: now - window - 1 }, "find"],
      [{ sentAt: now + 1 }, "find"],
      [{ job }, "wait"],
      [{ job, sentAt: now - window - 1 }, "wait"],
      [{ job, sentAt: now + 1 }, "wait"],
    ].map(([more, step]) => [state, more, step] as [JournalState, object, ResumeStep]),
  ),
];

test.each(rows)("an entry with state %s and %j continues with %s", (state, more, step) => {
  expect(resumeStep(entryOf(state, more), now, window)).toBe(step);
});

test("an item without an entry is sent", () => {
  expect(resumeStep(undefined, now, window)).toBe("send");
});
