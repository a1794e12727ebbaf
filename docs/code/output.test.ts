import { expect, it } from "vitest";

import { isOutput } from "./output.ts";

it.each([
  ["8 992\n", "8 992\n"],
  ["job_… succeeded", "job_a1B2 succeeded\n"],
  ["first\n…\nlast\n", "first\na\nb\nlast\n"],
  ["first\n…\nlast\n", "first\nlast\n"],
  ["a (b) [c].\n", "a (b) [c].\n"],
])("matches %j with %j", (shown, printed) => {
  expect(isOutput(shown, printed)).toBe(true);
});

it.each([
  ["8 992\n", "8 984\n"],
  ["8\n", "8\n992\n"],
  ["8\n992\n", "8\n"],
  ["job_…\n", "job_a\njob_b\n"],
  ["a.c\n", "abc\n"],
  ["8\n", ""],
])("does not match %j with %j", (shown, printed) => {
  expect(isOutput(shown, printed)).toBe(false);
});
