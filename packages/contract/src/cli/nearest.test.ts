import { expect, test } from "vitest";

import { flagNames } from "./flags.ts";
import { nearest } from "./nearest.ts";

test.each([
  ["lvel", "level"],
  ["base", "base-url"],
  ["bsae-url", "base-url"],
  ["max-credit", "max-credits"],
  ["apikey", "api-key"],
  ["alow-live", "allow-live"],
  ["colour", undefined],
  ["x", undefined],
])("whoever types %s meant %s", (word, meant) => {
  expect(nearest(word, flagNames)).toBe(meant);
});
