import { afterEach, describe, expect, it } from "vitest";

import { delayAfter, pollDelay } from "./poll-delay.ts";

describe("the delay before a poll", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "document");
  });

  it.each([
    { delay: 10_000 },
    { unseen: true, polls: 1, delay: 10_000 },
    { unseen: true, delay: 0 },
    { age: 2_000, delay: 8_000 },
    { left: 11_001, delay: 10_000 },
    { left: 10_999, delay: 9_999 },
    { left: 1_001, delay: 1 },
    { left: 1_000, delay: 10_000 },
    { visibilityState: "hidden", delay: 30_000 },
    { visibilityState: "hidden", left: 20_000, delay: 19_000 },
    { visibilityState: "visible", delay: 10_000 },
  ])("is $delay ms: %o", (row) => {
    const { unseen = false, polls = 0, age = 0, left = 60_000, visibilityState, delay } = row;
    Reflect.set(globalThis, "document", visibilityState && { visibilityState });
    const known = { id: "job_1", since: 5_000, knownSince: 5_000, kinds: [] };
    const wait = { ...known, unseen, polls };
    // The first poll is due after 10 s.
    const runTime = { median: 10_000 * Math.exp(0.95), spread: 1 };
    const now = 5_000 + age;
    expect(pollDelay(wait, { now, left, runTime, random: () => 0.5 })).toBeCloseTo(delay);
  });
});

describe("the delay after a failed poll", () => {
  it("is a second, or longer if the service requests it", () => {
    expect([{}, { retryAfter: 0.5 }, { retryAfter: 9 }].map(delayAfter)).toEqual([1e3, 1e3, 9e3]);
  });
});
