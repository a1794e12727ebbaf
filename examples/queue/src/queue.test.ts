import * as fc from "fast-check";
import { expect, it } from "vitest";

import { itemKey } from "./queue.ts";

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 });

it("gives each item of each batch a different key that BullMQ and the service accept", () => {
  fc.assert(
    fc.property(name, name, name, name, (batch, id, otherBatch, otherId) => {
      fc.pre(Math.max(...[batch, id, otherBatch, otherId].map((text) => text.length)) < 12);
      const key = itemKey(batch, id);
      expect(key).toMatch(/^[!-9;-~]{1,200}$/);
      expect(key).not.toMatch(/^\d+$/);
      expect(itemKey(otherBatch, otherId) === key).toBe(batch === otherBatch && id === otherId);
    }),
  );
});

it("rejects names that are too long for a key", () => {
  expect(itemKey("spring", "x".repeat(193))).toHaveLength(200);
  expect(() => itemKey("spring", "x".repeat(194))).toThrow(
    /item x{194} in batch spring has 201 characters/,
  );
});
