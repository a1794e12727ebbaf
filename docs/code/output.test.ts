import { expect, it } from "vitest";

import { isOutput } from "./output.ts";

it.each([
  [true, "8 992\n", "8 992\n"],
  [true, "job_… succeeded", "job_a1B2 succeeded\n"],
  [true, "first\n…\nlast\n", "first\na\nb\nlast\n"],
  [true, "first\n…\nlast\n", "first\nlast\n"],
  [true, "a (b) [c].\n", "a (b) [c].\n"],
  [false, "8 992\n", "8 984\n"],
  [false, "8\n", "8\n992\n"],
  [false, "8\n992\n", "8\n"],
  [false, "job_…\n", "job_a\njob_b\n"],
  [false, "a.c\n", "abc\n"],
  [false, "8\n", ""],
])("returns %s for %j and %j", (expected, shown, printed) => {
  expect(isOutput(shown, printed)).toBe(expected);
});
