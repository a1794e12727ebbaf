import sharp from "sharp";
import { expect, it } from "vitest";

import { readImageHeader } from "../images/read-image-header.ts";
import { decoderProbes } from "./decoder-probes.ts";

type Name = keyof typeof decoderProbes;

const bytesOf = (name: Name) => Buffer.from(decoderProbes[name], "base64");

it.each<[Name, object]>([
  ["PNG", { format: "PNG", primaries: 12, isWideGamut: true }],
  [
    "AVIF",
    { format: "AVIF", primaries: 12, isWideGamut: true, width: 2, height: 1, orientation: 8 },
  ],
  ["WebP", { format: "WebP", hasProfile: true }],
  ["JPEG", { format: "JPEG", hasProfile: true, isCmyk: true }],
  ["HDR", { format: "PNG", primaries: 9, isHdr: true }],
])("%s has the feature that it tests", async (name, header) => {
  const image = new Blob([new Uint8Array(bytesOf(name))]);
  expect(await readImageHeader(image)).toMatchObject({ ...header, isTruncated: false });
});

it.each(["WebP", "JPEG"] as const)("%s is red by its profile only", async (name) => {
  const [red = 0, green = 0] = await sharp(bytesOf(name)).toColourspace("srgb").raw().toBuffer();
  expect([red > 100, green < 40]).toEqual([true, true]);
  const plain = sharp(bytesOf(name), { ignoreIcc: true }).toColourspace("srgb");
  expect((await plain.raw().toBuffer())[1]).toBeGreaterThan(150);
});
