import { expect, it } from "vitest";

import { atFirst, breadthAfter, largestBreadth, type Breadth, type Ending } from "./in-flight.ts";

const good: Ending = { now: 1_000, full: true, failed: false };
const steady: Breadth = { size: 20, doubling: false, halvedAt: 500 };

it.each([
  ["one more after each good end at first", atFirst, good, { size: 9, doubling: true }],
  ["a twentieth more of 20 after it was halved once", steady, good, { size: 20.05 }],
  ["no more where fewer were in flight than may be", steady, { ...good, full: false }, steady],
  ["never more than 100", { ...atFirst, size: 100 }, good, { size: largestBreadth }],
  [
    "half after a 429 or 503",
    steady,
    { ...good, pushedBackAt: 600 },
    { size: 10, doubling: false, halvedAt: 1_000 },
  ],
  ["as many after one of the same bout", steady, { ...good, pushedBackAt: 500 }, steady],
  ["half after each failure", steady, { ...good, failed: true }, { size: 10, doubling: true }],
  ["never fewer than one", { ...steady, size: 1 }, { ...good, failed: true }, { size: 1 }],
] as const)("%s", (_name, breadth, ending, expected) => {
  expect(breadthAfter(breadth, ending)).toMatchObject(expected);
});
