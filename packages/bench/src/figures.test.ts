import { describe, expect, test } from "vitest";

import { ratiosOf, spreadOf } from "./figures.ts";

describe("the spread of figures", () => {
  test.each([
    [[3], 3, 3, 3],
    [[9, 1, 5], 5, 1, 9],
    [[10, 2, 4, 1], 3, 1, 10],
    // Compared as texts, 10 would come before 9.
    [[10, 9, 8], 9, 8, 10],
  ])("of %j is %d, from %d to %d", (figures, median, least, most) => {
    expect(spreadOf(figures)).toEqual({ median, least, most, runs: figures.length });
  });

  test("leaves the figures in their order", () => {
    const figures = [2, 1];
    spreadOf(figures);
    expect(figures).toEqual([2, 1]);
  });

  test("of nothing is refused", () => {
    expect(() => spreadOf([])).toThrow(RangeError);
  });
});

describe("ratios", () => {
  test("are taken pair by pair", () => {
    expect(ratiosOf([10, 30], [5, 10])).toEqual([2, 3]);
  });

  test("of what does not go in pairs are refused", () => {
    expect(() => ratiosOf([1, 2], [1])).toThrow(/2 and 1/);
  });
});
