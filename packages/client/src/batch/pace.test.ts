import { assert, constantFrom, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";

import { nextDue, readAhead, restAfter, spacing, startDelay, type Pace } from "./pace.ts";

const now = 1_000_000;
const minute = 60_000;
const idle: Pace = {
  now,
  dueAt: Number.NEGATIVE_INFINITY,
  restingUntil: Number.NEGATIVE_INFINITY,
  held: true,
};
const budget = { limit: 60, remaining: 60, resetAt: now + minute, source: "headers" } as const;

/** When starts are made in four minutes, by timers that come late by chance. */
function startsAt(limit: number, held: boolean, lateness: number, seed: number): number[] {
  const known = { ...budget, limit, source: "count" as const };
  const starts: number[] = [];
  let chance = seed;
  for (let pace: Pace = { ...idle, held, budget: known }; pace.now < now + 4 * minute;) {
    const delay = startDelay(pace);
    if (delay > 0) {
      chance = (chance * 1_103 + 377) % 2_003;
      pace = { ...pace, now: pace.now + delay + (chance % (lateness + 1)) };
    } else {
      starts.push(pace.now);
      pace = { ...pace, dueAt: nextDue(pace) };
    }
  }
  return starts;
}

describe("the next start", () => {
  it.each([
    ["is at once where nothing is known", {}, 0],
    ["is at once where none was before", { budget }, 0],
    ["is when it is due, but for a quarter of a second", { budget, dueAt: now + 900 }, 650],
    ["is at once a quarter of a second before it is due", { budget, dueAt: now + 250 }, 0],
    ["waits for the end of a rest", { restingUntil: now + 5_000 }, 5_000],
    [
      "waits for the limit to be renewed when nothing is left",
      { budget: { ...budget, remaining: 0, resetAt: now + 7_000 } },
      7_000,
    ],
    [
      "asks a count of our own again after one space",
      { budget: { ...budget, remaining: 0, resetAt: now + 7_000, source: "count" } },
      minute / 58.2,
    ],
    [
      "does not wait for a renewal that is over",
      { budget: { ...budget, remaining: 0, resetAt: now - 1 } },
      0,
    ],
  ] as const)("%s", (_name, pace, delay) => {
    expect(startDelay({ ...idle, ...pace })).toBeCloseTo(delay, 6);
  });
});

describe("starts are spaced", () => {
  it.each([
    ["by nothing where no limit is known", undefined, true, 0],
    ["so that 3 % of the limit are left where answers are held", 60, true, minute / 58.2],
    ["so that a fifth is left for looks where they are not", 60, false, minute / 48],
    ["so that at least one and a half are left", 10, true, minute / 8.5],
    ["so that half of a very small limit is used at least", 1, true, minute / 0.5],
    ["by nothing where the service names a limit that is none", 0, true, 0],
  ])("%s", (_name, limit, held, apart) => {
    const known = limit === undefined ? undefined : { ...budget, limit };
    expect(spacing({ held, budget: known })).toBeCloseTo(apart, 6);
  });

  it("from when the last was due, so that a late timer costs nothing, but nothing is made up for", () => {
    const apart = minute / 58.2;
    expect(nextDue({ ...idle, budget, dueAt: now + 200 })).toBeCloseTo(now + 200 + apart, 6);
    expect(nextDue({ ...idle, budget, dueAt: now - 9_000 })).toBeCloseTo(now + apart, 6);
  });

  const seeds = integer({ min: 0, max: 2_000 });

  it("never holds more in any minute than the limit allows, whenever its timers come", () => {
    assert(
      property(
        integer({ min: 1, max: 300 }),
        constantFrom(true, false),
        integer({ min: 0, max: 400 }),
        seeds,
        (limit, held, lateness, seed) => {
          const starts = startsAt(limit, held, lateness, seed);
          for (const [index, at] of starts.entries()) {
            const later = starts[index + limit] ?? Number.POSITIVE_INFINITY;
            expect(later - at).toBeGreaterThanOrEqual(minute);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("uses nine tenths of the limit where answers are held, though timers come late", () => {
    assert(
      property(integer({ min: 30, max: 300 }), seeds, (limit, seed) => {
        expect(startsAt(limit, true, 200, seed).length / 4 / limit).toBeGreaterThan(0.9);
      }),
      { numRuns: 50 },
    );
  });
});

it("reads ahead what is started within a second, and while an input is made", () => {
  expect(readAhead({ held: true }, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(readAhead({ held: true, budget }, 0)).toBe(1);
  expect(readAhead({ held: true, budget }, 4_000)).toBe(5);
  expect(readAhead({ held: true, budget: { ...budget, limit: 6_000 } }, 0)).toBe(97);
});

it("rests longer with each bout of failures, up to a minute", () => {
  expect([0, 1, 2, 3, 6, 7, 50].map(restAfter)).toEqual([
    0,
    1_000,
    2_000,
    4_000,
    32_000,
    minute,
    minute,
  ]);
});
