import { expect, it } from "vitest";

import { compare } from "./ceilings.ts";
import { inCode, inText } from "./words.ts";

const raise = "or raise the ceiling in ceilings.json in a separate commit that says why.";
const lower = "Lower it: run the same command with --lower.";

it.each([
  ["lines", 1_000, 1_000, undefined, 1_000],
  ["lines", 1_000, 976, undefined, 976],
  ["lines", 1_000, 1_001, `ceiling 1000. Remove 1, ${raise}`, 1_000],
  ["lines", 1_000, 900, `ceiling 1000. ${lower}`, 900],
  ["lines", undefined, 900, `ceiling Infinity. ${lower}`, 900],
  ["lines", 900, 0, `ceiling 900. ${lower}`, 0],
  // Has headroom.
  ["MB of memory", 100, 78, undefined, 98],
  ["MB of memory", 100, 40, `ceiling 100. ${lower}`, 50],
])("compares %s: a ceiling of %j with a count of %j", (what, ceiling, count, problem, lowered) => {
  // A kind that was not counted keeps its ceiling.
  const ceilings = { [what]: { ...(ceiling && { mock: ceiling }) }, words: { docs: 1 } };
  expect(compare(ceilings, { [what]: { ...(count && { mock: count }) } })).toEqual({
    problems: problem === undefined ? [] : [`mock: ${count} ${what}, ${problem}`],
    lower: { [what]: { mock: lowered }, words: { docs: 1 } },
  });
});

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
