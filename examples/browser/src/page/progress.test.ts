import { TryOn, type Update } from "@tryon/client";
import { expect, test } from "vitest";

import { durationMessage, formatTime, stepOf } from "./progress.ts";

const tryon = new TryOn({ apiKey: "svc_test_mock", baseUrl: "http://localhost" });
const job = (status: string) =>
  tryon.jobs.resume({ id: "job_1", data: { job_id: "job_1", status } });

test.each<[Update, string]>([
  [{ phase: "sending", idempotencyKey: "a" }, "sending"],
  [{ phase: "retrying", idempotencyKey: "a", delay: 500 }, "retrying"],
  [{ phase: "waiting", job: job("queued") }, "queued"],
  [{ phase: "waiting", job: job("running") }, "creating"],
  [{ phase: "waiting", job: job("warming_up") }, "creating"],
  [{ phase: "succeeded", job: job("succeeded") }, "downloading"],
])("shows %o as the step %s", (update, step) => {
  expect(stepOf(update)).toBe(step);
});

test.each([
  [0, "0:00"],
  [7, "0:07"],
  [125, "2:05"],
])("formats %i seconds as %s", (seconds, text) => {
  expect(formatTime(seconds)).toBe(text);
});

test.each([
  [30, "Usually 10–30 seconds."],
  [31, "a little longer"],
  [90, "a little longer"],
  [91, "You can leave"],
])("comments on %i seconds of waiting with: %s", (seconds, text) => {
  expect(durationMessage(seconds)).toContain(text);
});
