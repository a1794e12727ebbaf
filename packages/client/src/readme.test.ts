import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

function found(path: string, pattern: RegExp): ReadonlySet<string | undefined> {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  return new Set([...text.matchAll(pattern)].map(([, code]) => code));
}

it("has a line in the README for every error code, and for no other", () => {
  const codes = new Set(
    ["hints", "tryon-error"].flatMap((name) => [
      ...found(`./errors/${name}.ts`, /^ {2}(?:\| ")?(\w+)[":]/gm),
    ]),
  );
  expect(codes.size).toBeGreaterThan(20);
  expect(found("../README.md", /^\| `(\w+)`/gm)).toEqual(codes);
});
