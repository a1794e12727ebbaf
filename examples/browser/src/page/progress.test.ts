import { expect, test } from "vitest";

import { durationMessage, formatTime, stepMessage, type BusySnapshot } from "./progress.ts";

const started = { startedAt: 0, person: undefined, isSaved: "all" } as const;
const waiting = { ...started, status: "waiting", jobId: "job_1" } as const;

test.each<[BusySnapshot, string]>([
  [{ ...started, status: "preparing" }, "Preparing your images"],
  [{ ...started, status: "uploading", isRetrying: false }, "Sending your images"],
  [{ ...started, status: "uploading", isRetrying: true }, "Connection problem, trying again"],
  [{ ...waiting, jobStatus: "queued" }, "Waiting in the queue"],
  [{ ...waiting, jobStatus: "running" }, "Creating your image"],
  [{ ...waiting, jobStatus: "warming_up" }, "Creating your image"],
  [{ ...waiting, jobStatus: "succeeded" }, "Loading your image"],
])("describes %j", (snapshot, message) => {
  expect(stepMessage(snapshot)).toBe(message);
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
