import { asset, assetBytes } from "./images.ts";

/** All bytes within a value, and all its texts as bytes; a map's too. */
export function* bytesWithin(value: unknown): Generator<Buffer> {
  if (value instanceof Uint8Array) yield Buffer.from(value);
  else if (typeof value === "string") yield Buffer.from(value);
  else if (value instanceof Map) yield* bytesWithin([...value]);
  else if (value !== null && typeof value === "object") {
    for (const part of Object.values(value)) yield* bytesWithin(part);
  }
}

const images = (["person.jpg", "shirt.png"] as const).flatMap((file) => [
  { name: file, bytes: assetBytes(file) },
  { name: `${file} in base64`, bytes: Buffer.from(asset(file)) },
]);

/** The images of the examples of which a piece of 40 bytes is within the values. */
export function imagesWithin(values: unknown): readonly string[] {
  const parts = [...bytesWithin(values)];
  return images.filter(({ bytes }) => containsPart(bytes, parts)).map(({ name }) => name);
}

function containsPart(image: Buffer, parts: readonly Buffer[]): boolean {
  // The first bytes of a PNG are alike in all of them, the result included.
  for (let at = 97; at + 40 <= image.length; at += 997) {
    const piece = image.subarray(at, at + 40);
    if (parts.some((part) => part.includes(piece))) return true;
  }
  return false;
}
