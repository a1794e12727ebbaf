import { expect, it } from "vitest";

import { compare } from "./ceilings.ts";
import { inCode, inText } from "./words.ts";

const raise = "or raise the ceiling in ceilings.json in a separate commit that says why.";
const lower = "Lower it: run the same command with --lower.";

it.each([
  [1_000, 1_000, []],
  [1_000, 976, []],
  [1_000, 1_001, [`mock: 1001 lines, ceiling 1000. Remove 1, ${raise}`]],
  [1_000, 900, [`mock: 900 lines, ceiling 1000. ${lower}`]],
  [undefined, 900, [`mock: 900 lines, ceiling none. ${lower}`]],
  [900, undefined, [`mock: 0 lines, ceiling 900. ${lower}`]],
])("compares a ceiling of %j with a count of %j", (ceiling, count, problems) => {
  const ceilings = { lines: ceiling === undefined ? {} : { mock: ceiling }, words: { docs: 1 } };
  const result = compare(ceilings, { lines: count === undefined ? {} : { mock: count } });
  expect(result.problems).toEqual(problems);
  // A ceiling never rises, and what was not counted keeps its ceiling.
  const mock = Math.min(ceiling ?? Infinity, count ?? 0);
  expect(result.lower).toEqual({ lines: { mock }, words: { docs: 1 } });
});

it("leaves memory headroom", () => {
  const ceilings = { "MB of memory": { app: 100 } };
  expect(compare(ceilings, { "MB of memory": { app: 78 } }).problems).toEqual([]);
  expect(compare(ceilings, { "MB of memory": { app: 40 } }).lower["MB of memory"]?.["app"]).toBe(
    50,
  );
});

it("finds words to avoid in any form, with the word to use", () => {
  expect(inText("It stands beside the job.")).toEqual([
    '"stands beside": use is in, represents, is listed in',
  ]);
  expect(inText("The Bearer token and the standard are fine.")).toEqual([]);
  expect(inText("word ".repeat(29))).toEqual([
    expect.stringMatching(/^split "word word .*" in two/),
  ]);
});

it("reads comments, strings and some names of code", () => {
  expect(inCode('const pause = mend("is no id"); // anew')).toHaveLength(2);
  expect(inCode(" * Whether it waits.")).toEqual([
    expect.stringMatching(/^start the comment with /),
  ]);
  expect(inCode("const longestDelay = 1;")).toEqual(['name "longestDelay" max… or min…']);
});
