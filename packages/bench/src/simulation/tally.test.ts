import { expect, test } from "vitest";

import { tallyOf } from "./tally.ts";

const counted = { startedAt: 1_000, requests: 30, refusals: 2, givenUp: 1, credits: 160 };

test("a tally has the makespan to the last result, the requests of one job and the delays", () => {
  const courses = Array.from({ length: 20 }, (_, index) => ({
    endedAt: 2_000,
    cameAt: 2_100 + index * 100,
  }));
  expect(tallyOf({ ...counted, courses })).toEqual({
    makespan: 3_000,
    requestsPerJob: 1.5,
    meanDelay: 1_050,
    p95Delay: 1_900,
    refusals: 2,
    givenUp: 1,
    credits: 160,
  });
});

test("no item has no tally", () => {
  expect(() => tallyOf({ ...counted, courses: [] })).toThrow("give it one item");
});
