import { expect, it } from "vitest";

import { inCode, inText } from "./words.ts";

it.each([
  [inText, "It stands beside the job.", [/: use is in, represents, is listed in$/]],
  [inText, "The Bearer token and the standard are fine.", []],
  [inText, "word ".repeat(29), [/^split "word word .*" in two/]],
  [inCode, 'const pause = take("is no id"); // anew', [/: use is not a …$/, /: use again, or/]],
  [inCode, "letsInWhomItKnows(isPaused, user);", [/^"lets In"/, /^"Whom": use the actor/, /Knows/]],
  [inCode, " * Whether it waits.", [/^start with .*, not "Whether"$/]],
  [inCode, "const longestDelay = 1;", [/^name "longestDelay" max… or min…$/]],
])("finds in %o of %j any form of a word to avoid, and what to use", (find, line, advice) => {
  expect(find(line)).toEqual(advice.map((pattern) => expect.stringMatching(pattern)));
});
