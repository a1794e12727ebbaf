import { expect, test } from "vitest";

import { digest, guessers } from "./guesses.ts";

test.each(Object.entries(guessers))("%s refuses what is wrong in any byte", (_, guesser) => {
  for (const at of digest.keys()) {
    expect(guesser.prepare(digest.with(at, (digest[at] ?? 0) ^ 1))).not.toThrow();
  }
});

test.each(Object.entries(guessers))("%s is not timed with what is right", (_, guesser) => {
  expect(guesser.prepare(digest)).toThrow(/A wrong/);
});
