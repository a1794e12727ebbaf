import { expect, test } from "vitest";

import { eventOf } from "./delivery.ts";

test.each([300, 301, 355, 356, 357, 1_000_000])("an event of %d bytes has just those", (bytes) => {
  const event = eventOf(bytes);
  expect(event).toHaveLength(bytes);
  expect(JSON.parse(event.toString())).toMatchObject({ event: "tryon.completed" });
});

test("an event of fewer bytes than it has is refused", () => {
  expect(() => eventOf(100)).toThrow(RangeError);
});
