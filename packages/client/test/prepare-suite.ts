import sharp from "sharp";
import { expect, it } from "vitest";

import type { PrepareImageOptions } from "../src/session/index.ts";
import { exif, flat, quarterColors, quarters, quarterSides } from "./photos.ts";

const bytesOf = async (image: Blob): Promise<Buffer> => Buffer.from(await image.arrayBuffer());
export const metadataOf = async (image: Blob) => sharp(await bytesOf(image)).metadata();

/** Returns the colors of the quarters of an image, from the upper left to the lower right. */
export async function colorsOf(image: Blob): Promise<number[][]> {
  const { data, info } = await sharp(await bytesOf(image))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [0.25, 0.75].flatMap((y) =>
    [0.25, 0.75].map((x) => {
      const row = Math.round(info.height * y);
      const at = (row * info.width + Math.round(info.width * x)) * 3;
      return [...data.subarray(at, at + 3)];
    }),
  );
}

/** Returns the maximum difference of the colors from those of an upright photo. */
export async function differenceOf(image: Blob): Promise<number> {
  const found = (await colorsOf(image)).flat();
  const differences = quarterColors.flat().map((value, at) => Math.abs(value - (found[at] ?? 0)));
  return Math.max(...differences);
}

/** Tests of `prepareImage` on every runtime. */
export function prepareSuite(
  prepare: (photo: Buffer, options: PrepareImageOptions) => Promise<Blob>,
): void {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "turns EXIF orientation %i upright, and removes the location",
    async (orientation) => {
      const photo = await quarters(orientation);
      expect(photo.includes("Exif")).toBe(true);
      for (const format of ["jpeg", "webp"] as const) {
        const image = await prepare(photo, { format });
        expect(image.type).toBe(`image/${format}`);
        expect(await metadataOf(image)).toMatchObject({ format, ...quarterSides });
        expect(await differenceOf(image)).toBeLessThan(16);
        const bytes = await bytesOf(image);
        for (const part of ["Exif", "EXIF", "GPS"]) expect(bytes.includes(part)).toBe(false);
        expect(bytes.includes(exif(1).subarray(76, 100))).toBe(false);
      }
    },
  );

  it.each([
    [undefined, [2_048, 1_024]],
    [512, [512, 256]],
    [2_500, [2_500, 1_250]],
    [4_096, [3_000, 1_500]],
  ])("shrinks to a maximum side of %s, and enlarges nothing", async (maxSide, sides) => {
    const photo = await flat({ width: 3_000, height: 1_500 }).jpeg().toBuffer();
    const { width, height } = await metadataOf(await prepare(photo, { maxSide }));
    expect([width, height]).toEqual(sides);
  });

  it("keeps at least one pixel of each side", async () => {
    const line = await flat({ width: 3_000, height: 1 }).png().toBuffer();
    const { width, height } = await metadataOf(await prepare(line, { maxSide: 512 }));
    expect([width, height]).toEqual([512, 1]);
  });

  it("replaces transparency with white in a JPEG, and keeps it in a WebP", async () => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 };
    const sides = { width: 600, height: 600, channels: 4 as const };
    const garment = await sharp({ create: { ...sides, background } })
      .png()
      .toBuffer();
    const [corner] = await colorsOf(await prepare(garment, {}));
    expect(Math.min(...(corner ?? []))).toBeGreaterThan(250);
    const webp = await prepare(garment, { format: "webp" });
    expect((await sharp(await bytesOf(webp)).stats()).isOpaque).toBe(false);
  });
}
