import { expect, test } from "vitest";

import { milliseconds } from "./duration.ts";

test.each([
  [0, 0],
  [1_500, 1_500],
  [0.5, 0.5],
  ["0s", 0],
  ["500ms", 500],
  ["1.5s", 1_500],
  ["21s", 21_000],
  ["3m", 180_000],
  ["24h", 86_400_000],
  ["30d", 2_592_000_000],
])("%j is %i milliseconds", (duration, expected) => {
  expect(milliseconds(duration)).toBe(expected);
});

test.each([
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "",
  "5",
  "s",
  "-5s",
  "5 s",
  "5S",
  "5sec",
  "1e3ms",
  "toString",
])("%j is an invalid duration", (duration) => {
  expect(() => milliseconds(duration)).toThrow(TypeError);
  expect(() => milliseconds(duration)).toThrow(/milliseconds/);
});
