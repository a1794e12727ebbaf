import { expect, it } from "vitest";

import { documentPrices, highestPriceOf, priceOf, readPrices } from "./prices.ts";

it.each([
  [
    { "1K": 7, "8K": 30 },
    { ...documentPrices, "1K": 7, "8K": 30 },
  ],
  [
    { "1K": 0, "2K": -1, "4K": "5" },
    { ...documentPrices, "1K": 0 },
  ],
  [{ "1K": Number.POSITIVE_INFINITY }, undefined],
  [{}, undefined],
  [null, undefined],
])("readPrices reads %j as %j", (stated, prices) => {
  expect(readPrices(stated)).toEqual(prices);
});

it.each([
  ["2K", 12, 12],
  [undefined, 8, 8],
  [null, 8, 8],
  ["", 8, 8],
  ["8K", undefined, 20],
  ["toString", undefined, 20],
  [["1K"], undefined, 20],
])("the price of the size %j is %s, and at most %s", (size, price, highest) => {
  expect(priceOf(size, documentPrices)).toBe(price);
  expect(highestPriceOf(size, documentPrices)).toBe(highest);
});
