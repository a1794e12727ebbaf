import { expect, test } from "vitest";

import { drawRunTimes, slowerBy, usualRunTimes } from "./run-times.ts";
import { seededRandom } from "./seeded-random.ts";

function shareUpTo(bound: number, times: readonly number[]): number {
  return times.filter((time) => time <= bound).length / times.length;
}

function drawn(seed: number): readonly number[] {
  const random = seededRandom(seed);
  return Array.from({ length: 1_000 }, random);
}

test.each([1, 2, 3])(
  "run times have the median and the slowest twentieth that were asked for, seed %d",
  (seed) => {
    const times = drawRunTimes(20_000, usualRunTimes, seededRandom(seed));
    expect(shareUpTo(12_000, times)).toBeCloseTo(0.5, 1);
    expect(shareUpTo(30_000, times)).toBeCloseTo(0.95, 1.7);
    // Half of a log-normal lies as many times below the median as above: 12 s / 2.5 is its fifth percentile.
    expect(shareUpTo(12_000 / 2.5, times)).toBeCloseTo(0.05, 1.7);
    expect(times.every((time) => Number.isInteger(time) && time > 0)).toBe(true);
  },
);

test("a service that is slower takes as many times as long for each job", () => {
  const [usual] = drawRunTimes(1, usualRunTimes, seededRandom(1));
  const [slow] = drawRunTimes(1, slowerBy(3, usualRunTimes), seededRandom(1));
  expect(slow).toBeCloseTo(3 * (usual ?? 0), -1);
});

test("the same seed gives the same chance, and another one another", () => {
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
  expect(drawn(1).every((number) => number >= 0 && number < 1)).toBe(true);
  expect(drawn(1).reduce((sum, number) => sum + number, 0) / 1_000).toBeCloseTo(0.5, 1);
});
