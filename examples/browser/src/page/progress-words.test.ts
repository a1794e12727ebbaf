import { TryOn, type Update } from "@tryon/client";
import { expect, test } from "vitest";

import { clockTime, patienceWords, stepOf } from "./progress-words.ts";

const tryon = new TryOn({ apiKey: "svc_test_mock", baseUrl: "http://localhost" });
const job = (status: string) =>
  tryon.jobs.resume({ id: "job_1", data: { job_id: "job_1", status } });

test.each<[Update, string]>([
  [{ phase: "sending", idempotencyKey: "a" }, "sending"],
  [{ phase: "retrying", idempotencyKey: "a", delay: 500 }, "retrying"],
  [{ phase: "waiting", job: job("queued") }, "queued"],
  [{ phase: "waiting", job: job("running") }, "making"],
  [{ phase: "waiting", job: job("warming_up") }, "making"],
  [{ phase: "succeeded", job: job("succeeded") }, "fetching"],
])("%o is the step %s", (update, step) => {
  expect(stepOf(update)).toBe(step);
});

test.each([
  [0, "0:00"],
  [7, "0:07"],
  [125, "2:05"],
])("%i seconds are shown as %s", (seconds, shown) => {
  expect(clockTime(seconds)).toBe(shown);
});

test("patience is asked for in three steps", () => {
  expect(patienceWords(30)).toBe("Usually 10–30 seconds.");
  expect(patienceWords(31)).toContain("A little longer");
  expect(patienceWords(91)).toContain("You may leave");
});
