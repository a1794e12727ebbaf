import { assert, constantFrom, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";

import {
  nextDueAt,
  maxReadAhead,
  backoffAfter,
  spacing,
  startDelay,
  type SubmissionRate,
} from "./submission-rate.ts";

const now = 1_000_000;
const minute = 60_000;
const idle: SubmissionRate = {
  now,
  dueAt: Number.NEGATIVE_INFINITY,
  backoffUntil: Number.NEGATIVE_INFINITY,
  sync: true,
};
const rateLimit = { limit: 60, remaining: 60, resetAt: now + minute, source: "headers" } as const;

/** Returns the start times within four minutes, with timers that are randomly late. */
function startsAt(limit: number, sync: boolean, lateness: number, seed: number): number[] {
  const known = { ...rateLimit, limit, source: "count" as const };
  const starts: number[] = [];
  let random = seed;
  for (
    let rate: SubmissionRate = { ...idle, sync, rateLimit: known };
    rate.now < now + 4 * minute;
  ) {
    const delay = startDelay(rate);
    if (delay > 0) {
      random = (random * 1_103 + 377) % 2_003;
      rate = { ...rate, now: rate.now + delay + (random % (lateness + 1)) };
    } else {
      starts.push(rate.now);
      rate = { ...rate, dueAt: nextDueAt(rate) };
    }
  }
  return starts;
}

describe("the next start", () => {
  it.each([
    ["is immediate without a rate limit", {}, 0],
    ["is immediate for the first item", { rateLimit }, 0],
    ["waits until 250 ms before it is due", { rateLimit, dueAt: now + 900 }, 650],
    ["is immediate 250 ms before it is due", { rateLimit, dueAt: now + 250 }, 0],
    ["waits for the backoff", { backoffUntil: now + 5_000 }, 5_000],
    [
      "waits for the reset when nothing remains",
      { rateLimit: { ...rateLimit, remaining: 0, resetAt: now + 7_000 } },
      7_000,
    ],
    [
      "checks an estimated reset again after one interval",
      { rateLimit: { ...rateLimit, remaining: 0, resetAt: now + 7_000, source: "count" } },
      minute / 58.2,
    ],
    [
      "ignores a reset in the past",
      { rateLimit: { ...rateLimit, remaining: 0, resetAt: now - 1 } },
      0,
    ],
  ] as const)("%s", (_name, rate, delay) => {
    expect(startDelay({ ...idle, ...rate })).toBeCloseTo(delay, 6);
  });
});

describe("the interval between starts", () => {
  it.each([
    ["is zero without a rate limit", undefined, true, 0],
    ["reserves 3 % of the limit if submissions wait for their results", 60, true, minute / 58.2],
    ["reserves a fifth of the limit for polls", 60, false, minute / 48],
    ["reserves at least 1.5 requests a minute", 10, true, minute / 8.5],
    ["uses at least half of a very small limit", 1, true, minute / 0.5],
    ["is zero for a limit of zero", 0, true, 0],
  ])("%s", (_name, limit, sync, apart) => {
    const known = limit === undefined ? undefined : { ...rateLimit, limit };
    expect(spacing({ sync, rateLimit: known })).toBeCloseTo(apart, 6);
  });

  it("counts from when the last start was due, and catches up on nothing else", () => {
    const apart = minute / 58.2;
    expect(nextDueAt({ ...idle, rateLimit, dueAt: now + 200 })).toBeCloseTo(now + 200 + apart, 6);
    expect(nextDueAt({ ...idle, rateLimit, dueAt: now - 9_000 })).toBeCloseTo(now + apart, 6);
  });

  const seeds = integer({ min: 0, max: 2_000 });

  it("stays within the limit in any 60 seconds, with late timers", () => {
    assert(
      property(
        integer({ min: 1, max: 300 }),
        constantFrom(true, false),
        integer({ min: 0, max: 400 }),
        seeds,
        (limit, sync, lateness, seed) => {
          const starts = startsAt(limit, sync, lateness, seed);
          for (const [index, at] of starts.entries()) {
            const later = starts[index + limit] ?? Number.POSITIVE_INFINITY;
            expect(later - at).toBeGreaterThanOrEqual(minute);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("uses 90 % of the limit with late timers", () => {
    assert(
      property(integer({ min: 30, max: 300 }), seeds, (limit, seed) => {
        expect(startsAt(limit, true, 200, seed).length / 4 / limit).toBeGreaterThan(0.9);
      }),
      { numRuns: 50 },
    );
  });
});

it("reads ahead the items that start within a second or while an input is created", () => {
  expect(maxReadAhead({ sync: true }, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(maxReadAhead({ sync: true, rateLimit }, 0)).toBe(1);
  expect(maxReadAhead({ sync: true, rateLimit }, 4_000)).toBe(5);
  expect(maxReadAhead({ sync: true, rateLimit: { ...rateLimit, limit: 6_000 } }, 0)).toBe(97);
});

it("doubles the backoff with each failure, up to a minute", () => {
  expect([0, 1, 2, 3, 6, 7, 50].map(backoffAfter)).toEqual([
    0,
    1_000,
    2_000,
    4_000,
    32_000,
    minute,
    minute,
  ]);
});
