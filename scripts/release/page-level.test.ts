import { expect, it } from "vitest";

import { tooNew } from "./page-level.ts";

it("names what a served browser may not know, once each", () => {
  const code =
    "AbortSignal.any([a]); Promise.withResolvers(); b.isWellFormed(); AbortSignal.any([])";
  expect(tooNew(code)).toEqual(["AbortSignal.any", "Promise.withResolvers", "isWellFormed"]);
});

it("lets pass what all of them know, and what only looks alike", () => {
  const code = "URL.canParse(a); b.toSorted(); Object.groupByName(c); myPromise.try; d.parse(e);";
  expect(tooNew(code)).toEqual([]);
});
