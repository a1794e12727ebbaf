import { cases } from "@tryon/test-kit/cases";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { exceededJsonLimit, type JsonLimits } from "./json-limits.ts";

const text = fc.string({
  unit: fc.constantFrom(...Array.from('"\\/{}[]:,u0\n'), "é", "👗"),
  maxLength: 6,
});
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.constantFrom(null, true, -1.5e-3),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
}));

/** The numbers that the limits are about, from the parsed value. */
function measured(value: unknown): JsonLimits {
  if (value === null || typeof value !== "object") return { names: 0, containers: 0, depth: 0 };
  const parts = Object.values(value).map(measured);
  const own = Array.isArray(value) ? 0 : parts.length;
  return {
    names: parts.reduce((sum, { names }) => sum + names, own),
    containers: parts.reduce((sum, { containers }) => sum + containers, 1),
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
  };
}

test("the scan of a JSON text agrees with JSON.parse", () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1, "\t"), fc.boolean(), (value, indent, ascii) => {
      const written = JSON.stringify(value, null, indent);
      const sent = ascii ? escaped(written) : written;
      const bytes = new TextEncoder().encode(sent);
      const limits = measured(JSON.parse(sent));
      expect(exceededJsonLimit(bytes, limits)).toBeUndefined();
      for (const limit of ["names", "containers", "depth"] as const) {
        const lower = { ...limits, [limit]: limits[limit] - 1 };
        expect(exceededJsonLimit(bytes, lower)).toBe(limits[limit] > 0 ? limit : undefined);
      }
    }),
    { numRuns: cases(2_000) },
  );
});

/** The same JSON with every character outside ASCII as an escape. */
function escaped(written: string): string {
  return written.replaceAll(
    /[^\0-\u007F]/g,
    (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

test.each([
  ["[".repeat(1_000_000), "depth", 3],
  [`{${'"a":'.repeat(1_000_000)}`, "names", 3 * 4 + 1],
])("the scan reads no byte after the limit: case %#", (sent, limit, read) => {
  const bytes = new TextEncoder().encode(sent);
  const indexes: number[] = [];
  const observed = new Proxy(bytes, {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) indexes.push(Number(name));
      const found: unknown = Reflect.get(target, name, target);
      return found;
    },
  });
  expect(exceededJsonLimit(observed, { names: 2, containers: 9, depth: 2 })).toBe(limit);
  expect(indexes).toHaveLength(read);
});
