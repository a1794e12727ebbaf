import { anything, array, assert, constant, integer, jsonValue, oneof, property } from "fast-check";
import { cases } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import { JsonScan } from "./read-json.ts";

/** Counts in a parsed value what the scan counts in its text. */
function count(value: unknown, found = { names: 0, items: 0, depth: 0 }, depth = 1) {
  if (typeof value !== "object" || value === null) return found;
  const values: unknown[] = Object.values(value);
  if (Array.isArray(value)) found.items += Math.max(1, values.length);
  else found.names += values.length;
  found.depth = Math.max(found.depth, depth);
  for (const each of values) count(each, found, depth + 1);
  return found;
}

const escaped = (letter: string): string => `\\u00${letter.charCodeAt(0).toString(16)}`;

it("counts what JSON.parse finds in valid JSON, in chunks of any size", () => {
  const long = array(oneof(constant(0), constant({ "{": "\\" }), constant([])), { maxLength: 300 });
  const hostile = anything({ key: constant('\\"{[:,]}'), values: [constant('"\\{[:,]}\\')] });
  const values = oneof(jsonValue({ maxDepth: 10 }), long, hostile);
  const sizes = integer({ min: 1, max: 9 });
  const indents = integer({ min: 0, max: 2 });
  const isCounted = property(values, sizes, indents, (value, size, indent) => {
    const text = JSON.stringify({ value }, null, indent);
    const expected = count(JSON.parse(text));
    const bytes = new TextEncoder().encode(text);
    const scan = new JsonScan();
    let limit: string | undefined;
    for (let at = 0; at < bytes.length && limit === undefined; at += size) {
      limit = scan.read(bytes.subarray(at, at + size));
    }
    const { names, items, depth } = expected;
    const exceeds = names > 256 || items > 256 || depth > 8;
    expect(limit !== undefined).toBe(exceeds);
    expect(exceeds ? expected : scan).toMatchObject(expected);
  });
  assert(isCounted, { numRuns: cases(5_000) });
});

it("counts names and strings that are written with escapes", () => {
  const value = { a: ["b", { 'c"d': "\\" }], ":{": "[,", e: [[]] };
  const text = JSON.stringify(value).replaceAll(/[a-z]/g, escaped);
  expect(JSON.parse(text)).toEqual(value);
  const scan = new JsonScan();
  expect(scan.read(new TextEncoder().encode(text))).toBeUndefined();
  expect(scan).toMatchObject(count(value));
});
