import { readFileSync } from "node:fs";

import { assetPath } from "@tryon/test-kit/repository";

export const personUrl = "https://shop.example/people/ada.jpg";
export const garmentUrl = "https://shop.example/garments/shirt.png";

/** A PNG of one pixel. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The bytes of one of the images that the examples send. */
export function assetBytes(file: "person.jpg" | "shirt.png" | "jacket.webp" | "hat.png"): Buffer {
  return readFileSync(assetPath(file));
}

/** The same as base64. */
export function asset(file: Parameters<typeof assetBytes>[0]): string {
  return assetBytes(file).toString("base64");
}

/** Base64 of bytes that begin as a file of some kind does and go on with zeroes. */
export function headed(head: string, length = 64): string {
  const bytes = Buffer.alloc(length);
  bytes.write(head, "latin1");
  return bytes.toString("base64");
}
