import assert from "node:assert/strict";
import { test } from "node:test";

import { TryOn } from "@tryon/client";

import { look } from "./look.ts";

const shirt = "https://shop.example/shirt.png";
const balance = async () => (await new TryOn().account.get()).credits_remaining;

test("an order is made once, and paid once, however often it comes", async () => {
  const before = await balance();
  const picture = await look("order-17", shirt);
  const again = await look("order-17", shirt);
  assert.equal(before - (await balance()), 8);
  assert.deepEqual(again, picture);
  assert.deepEqual(picture?.subarray(1, 4), Uint8Array.from(Buffer.from("PNG")));
});

test("blocked content yields no image and no error", async () => {
  assert.equal(await look("order-18", shirt, "mock:content_blocked"), undefined);
});
