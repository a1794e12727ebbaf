import { cases } from "@tryon/test-kit/cases";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { NumberMap } from "./number-map.ts";

it("keeps the last number of each text", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "\0", "\0\0", "\uD83D"),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, fc.nat())), (pairs) => {
      const map = new NumberMap();
      for (const [text, value] of pairs) map.set(text, value);
      const expected = new Map(pairs);
      expect(Array.from(expected.keys(), (text) => map.get(text))).toEqual([...expected.values()]);
      expect([...map.values()]).toEqual([...expected.values()].toSorted((a, b) => a - b));
      expect([map.has("\uFFFF"), map.size]).toEqual([expected.has("\uFFFF"), expected.size]);
    }),
  );
});

it("keeps similar texts apart", () => {
  const map = new NumberMap();
  const count = cases(1_000_000, 100);
  for (const make of [
    (index: number) => `sku-${index}`,
    (index: number) => index.toString(2).padStart(64, "0"),
    (index: number) => String.fromCharCode(index >> 8, index & 255),
  ]) {
    const before = map.size;
    for (let index = 0; index < count; index += 1) map.set(make(index), index);
    expect(map.size - before).toBe(count);
    for (let index = 0; index < count; index += 997) expect(map.get(make(index))).toBe(index);
  }
});
