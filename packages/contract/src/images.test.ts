import { crc32 as crc32OfNode } from "node:zlib";

import { assert, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";

import { crc32 } from "@tryon/shared/png";

test("the check sum is that of ISO 3309", () => {
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcb_f4_39_26);
  assert(property(uint8Array(), (data) => crc32(data) === crc32OfNode(data)));
});
