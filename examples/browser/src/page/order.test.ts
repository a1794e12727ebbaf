import { expect, test } from "vitest";

import { canBePickedUp, inputOf, type Order } from "./order.ts";

const minute = 60_000;
const order: Order = {
  key: "a",
  since: 0,
  person: new Blob(["a"]),
  garments: [new Blob(["b"])],
  size: "2K",
  words: "",
};

test("an order without a known job is picked up as long as its key is remembered, and never after", () => {
  expect(canBePickedUp(order, 30 * minute - 1)).toBe(true);
  expect(canBePickedUp(order, 30 * minute)).toBe(false);
});

test("an order whose job is known is picked up for a day", () => {
  const known = { ...order, job: { id: "job_1" } };
  expect(canBePickedUp(known, 24 * 60 * minute - 1)).toBe(true);
  expect(canBePickedUp(known, 24 * 60 * minute)).toBe(false);
});

test("the same order is the same input each time, and no words are no prompt", () => {
  const { person, garments } = order;
  expect(inputOf(order)).toEqual({ person, garments, output_size: "2K" });
  expect(inputOf({ ...order, words: "evening light" })).toMatchObject({ prompt: "evening light" });
});
