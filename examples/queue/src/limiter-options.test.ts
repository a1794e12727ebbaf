import * as fc from "fast-check";
import { expect, it } from "vitest";

import { limiterOptions } from "./limiter-options.ts";

const minute = 60_000;

/** Returns the maximum number of items that can start within 60 seconds, starting at any time. */
function maxItems({ max, duration }: { max: number; duration: number }): number {
  const windows = Math.floor(minute / duration);
  // A window starts with its first item. With one item per window, no partial window adds any.
  return max === 1 ? windows + 1 : (windows + 2) * max;
}

it("never starts more items in any 60 seconds than the rate limit allows", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (limit) => {
      expect(maxItems(limiterOptions(limit))).toBeLessThanOrEqual(limit);
    }),
  );
});

it.each([
  [60, 1],
  [600, 9],
  [6_000, 90],
])("uses nine tenths of %d requests per minute, %d per window", (limit, max) => {
  const options = limiterOptions(limit);
  expect(options.max).toBe(max);
  expect((minute / options.duration) * max).toBeGreaterThan(limit * 0.89);
});
