import * as fc from "fast-check";
import { expect, it } from "vitest";

import { keyOf } from "./queue.ts";

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 });

it("gives each item of each batch a key of its own, which queue and service take", () => {
  fc.assert(
    fc.property(name, name, name, name, (batch, id, otherBatch, otherId) => {
      fc.pre(Math.max(...[batch, id, otherBatch, otherId].map((one) => one.length)) < 12);
      const key = keyOf(batch, id);
      expect(key).toMatch(/^[!-9;-~]{1,200}$/);
      expect(key).not.toMatch(/^\d+$/);
      expect(keyOf(otherBatch, otherId) === key).toBe(batch === otherBatch && id === otherId);
    }),
  );
});

it("says which names are too long for a key", () => {
  expect(keyOf("spring", "x".repeat(193))).toHaveLength(200);
  expect(() => keyOf("spring", "x".repeat(194))).toThrow(
    /item x{194} and batch spring come to 201 characters/,
  );
});
