import { describe, expect, test } from "vitest";

import { differenceOf, intervalOf } from "./welch.ts";

describe("the difference of two classes", () => {
  test("is that of their means, in standard errors", () => {
    // Both variances are 1, so the error is the root of 2 / 3.
    const { ratio, t } = differenceOf([1, 2, 3], [2, 3, 4], 1);
    expect(ratio).toBeCloseTo(1.5);
    expect(t).toBeCloseTo(1 / Math.sqrt(2 / 3));
    expect(differenceOf([2, 3, 4], [1, 2, 3], 1).t).toBeCloseTo(-1 / Math.sqrt(2 / 3));
  });

  test("of classes that are the same is none, even without any spread", () => {
    expect(differenceOf([5, 6, 5], [5, 6, 5], 1)).toEqual({ ratio: 1, t: 0 });
    expect(differenceOf([5, 5], [5, 5], 1)).toEqual({ ratio: 1, t: 0 });
  });

  test("leaves out what disturbed either, by a bound that is the same for both", () => {
    const calm = Array.from({ length: 45 }, (_, index) => 10 + (index % 3));
    const disturbed = [...calm, 9_000, 9_000, 9_000, 9_000, 9_000];
    expect(differenceOf(disturbed, [...calm, 1_000, 1_000, 1_000, 1_000, 1_000], 0.9).ratio).toBe(
      1,
    );
    expect(differenceOf(disturbed, calm, 1).ratio).toBeLessThan(0.1);
  });

  test.each([[[]], [[1]]])("of %j is refused", (samples) => {
    expect(() => differenceOf(samples, [1, 2], 1)).toThrow(RangeError);
  });
});

describe("the interval of a mean", () => {
  test("is as wide as Student says", () => {
    const [least, most] = intervalOf([1, 2, 3]);
    const half = 4.303 / Math.sqrt(3);
    expect(least).toBeCloseTo(2 - half);
    expect(most).toBeCloseTo(2 + half);
  });

  test.each([[[1]], [Array.from({ length: 12 }, () => 1)]])("of %j is refused", (figures) => {
    expect(() => intervalOf(figures)).toThrow(/in place of 2 to 11/);
  });
});
