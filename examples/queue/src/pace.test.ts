import * as fc from "fast-check";
import { expect, it } from "vitest";

import { pace } from "./pace.ts";

const minute = 60_000;

/** The most items that can begin within a minute, whenever that begins: in the windows that lie in it, and the two at its ends. */
function most({ max, duration }: { max: number; duration: number }): number {
  const within = Math.floor(minute / duration);
  // A window begins with its first item, so one that holds a single item is over with its beginning.
  return max === 1 ? within + 1 : (within + 2) * max;
}

it("never begins more items in any minute than the key may make requests", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (limit) => {
      expect(most(pace(limit))).toBeLessThanOrEqual(limit);
    }),
  );
});

it.each([
  [60, 1],
  [600, 9],
  [6_000, 90],
])("uses nine tenths of %d requests a minute, %d at a time", (limit, max) => {
  const paced = pace(limit);
  expect(paced.max).toBe(max);
  expect((minute / paced.duration) * max).toBeGreaterThan(limit * 0.89);
});
