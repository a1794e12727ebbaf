import { cases } from "@tryon/test-kit/cases";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { withFaults } from "../../test/with-faults.ts";
import { pathMatcher } from "./request-pattern.ts";

const pathOf = (characters: string) =>
  fc
    .string({ unit: fc.constantFrom(...Array.from(characters)), maxLength: 8 })
    .map((rest) => `/${rest}`);

/** Matches by the grammar: a star is one or more characters before the next slash. */
function slowMatch(pattern: string, path: string): boolean {
  if (pattern === "") return path === "";
  if (pattern[0] !== "*")
    return pattern[0] === path[0] && slowMatch(pattern.slice(1), path.slice(1));
  const [run = ""] = /^[^/]*/.exec(path) ?? [];
  return Array.from(run).some((_character, index) =>
    slowMatch(pattern.slice(1), path.slice(index + 1)),
  );
}

test("a path pattern matches by its grammar", () => {
  fc.assert(
    fc.property(pathOf("ab*/."), fc.array(pathOf("ab/."), { minLength: 20 }), (pattern, paths) => {
      const matches = pathMatcher(pattern);
      for (const path of paths)
        expect([path, matches(path)]).toEqual([path, slowMatch(pattern, path)]);
    }),
    { numRuns: cases(5_000) },
  );
});

test("a path pattern with many stars matches without backtracking", async () => {
  const { mock, get } = withFaults();
  const pattern = `/${"*a".repeat(30)}*`;
  mock.faults.add({ on: `GET ${pattern}`, status: 418 });
  expect((await get(`/${"a".repeat(61)}`)).status).toBe(418);
  expect((await get(`/${"a".repeat(500)}/`)).status).toBe(404);
  expect(mock.journal.entries({ path: pattern })).toHaveLength(1);
});
