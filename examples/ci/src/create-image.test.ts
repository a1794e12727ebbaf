import assert from "node:assert/strict";
import { test } from "node:test";

import { TryOn } from "@tryon/client";

import { createImage } from "./create-image.ts";

const shirt = "https://shop.example/shirt.png";
const balance = async () => (await new TryOn().account.get()).credits_remaining;

test("an order is charged once, even if it is repeated", async () => {
  const before = await balance();
  const image = await createImage("order-17", shirt);
  const again = await createImage("order-17", shirt);
  assert.equal(before - (await balance()), 8);
  assert.deepEqual(again, image);
  assert.deepEqual(image?.subarray(1, 4), Uint8Array.from(Buffer.from("PNG")));
});

test("blocked content yields no image and no error", async () => {
  assert.equal(await createImage("order-18", shirt, "mock:content_blocked"), undefined);
});
