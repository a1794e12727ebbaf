import { expect, test } from "vitest";

import { nearest } from "./nearest.ts";

test.each([
  ["latancy", "latency"],
  ["prot", "port"],
  ["port", "port"],
  ["prof", "profile"],
  ["print-en", "print-env"],
  ["colour", undefined],
  ["", undefined],
  ["qu", undefined],
])("%j is closest to %j", (word, known) => {
  const words = ["port", "latency", "profile", "print-env", "quiet"];
  expect(nearest(word, words)).toBe(known);
});
