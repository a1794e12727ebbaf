import sharp from "sharp";
import { expect, it } from "vitest";

import { encode } from "../../test/encoders.ts";
import {
  createPhoto,
  exif,
  quarters,
  quarterSides,
  segment,
  withSegments,
} from "../../test/photos.ts";
import { prepareImage } from "../node/index.ts";
import { readImageHeader, type ImageHeader } from "./read-image-header.ts";

const headerOf = async (image: Uint8Array): Promise<ImageHeader> =>
  readImageHeader(new Blob([new Uint8Array(image)]));

const upright = async (): Promise<Buffer> =>
  sharp(await quarters(1))
    .png()
    .toBuffer();

it.each<[ImageHeader["format"], string, Partial<ImageHeader>]>([
  ["JPEG", "cjpeg -outfile out.jpg in.ppm", {}],
  ["JPEG", "cjpeg -progressive -outfile out.jpg in.ppm", {}],
  ["JPEG", "cjpeg -restart 1 -outfile out.jpg in.ppm", {}],
  ["JPEG", "cjpeg -arithmetic -outfile out.jpg in.ppm", { rareKind: "an arithmetic-coded JPEG" }],
  ["JPEG", "convert in.png -colorspace CMYK out.jpg", { isCmyk: true }],
  ["PNG", "convert in.png -interlace PNG PNG48:out.png", {}],
  ["GIF", "convert in.png out.gif", {}],
  ["GIF", "convert in.png -interlace GIF out.gif", {}],
  ["GIF", "convert in.png -flip in.png out.gif", { isAnimated: true }],
  ["WebP", "cwebp -quiet in.png -o out.webp", {}],
  ["WebP", "cwebp -quiet -lossless in.png -o out.webp", {}],
  ["BMP", "convert in.png out.bmp", {}],
  ["BMP", "convert in.png BMP2:out.bmp", {}],
  ["BMP", "convert in.png -type palette -compress RLE out.bmp", {}],
  ["JPEG XL", "cjxl in.png out.jxl --container=1", { orientation: 1 }],
  ["AVIF", "avifenc in.png out.avif", { orientation: 1, primaries: 1 }],
  ["AVIF", "avifenc --cicp 12/13/6 in.png out.avif", { isWideGamut: true, isHdr: false }],
  ["AVIF", "avifenc -d 10 --cicp 9/16/9 in.png out.avif", { isWideGamut: true, isHdr: true }],
  [
    "AVIF",
    "avifenc --clap 400,1,300,1,0,1,0,1 in.png out.avif",
    { isCropped: true, width: 400, height: 300 },
  ],
  [
    "AVIF",
    "avifenc -g 2x2 in.png in.png in.png in.png out.avif",
    { isGrid: true, width: 1_280, height: 1_120 },
  ],
  ["HEIC", "heif-enc in.png -o out.heic", { orientation: 1 }],
  ["HEIC", "heif-enc -t 320 in.png -o out.heic", { orientation: 1 }],
])(
  "reads the %s of %s, and finds that half of it is missing",
  async (format, command, expected) => {
    const png = await upright();
    const isPpm = command.startsWith("cjpeg");
    const image = await encode(isPpm ? await encode(png, "convert in.png out.ppm") : png, command);
    const header = await headerOf(image);
    expect(header).toMatchObject({ format, ...quarterSides, isTruncated: false, ...expected });
    const half = await headerOf(image.subarray(0, image.length / 2));
    // The first frame of an animation is complete.
    expect(half.isTruncated).toBe(!header.isAnimated);
  },
);

it.each([0, 1, 2, 3].flatMap((irot) => ["", " --imir 0", " --imir 1"].map((imir) => [irot, imir])))(
  "reads --irot %s%s of an AVIF as an EXIF orientation",
  async (irot, imir) => {
    const png = await createPhoto().png().toBuffer();
    const avif = await encode(png, `avifenc --irot ${irot}${imir} in.png out.avif`);
    const { orientation } = await headerOf(avif);
    const jpeg = await sharp(png).jpeg().toBuffer();
    const turned = withSegments(jpeg, segment(0xe1, exif(orientation)));
    const [found, wanted] = await Promise.all(
      [avif, turned].map(async (photo) => {
        const prepared = sharp(await (await prepareImage(photo)).arrayBuffer());
        return prepared.resize(16, 16, { fit: "fill" }).raw().toBuffer();
      }),
    );
    const differences = Array.from(found ?? [], (value, at) =>
      Math.abs(value - (wanted?.[at] ?? 0)),
    );
    expect(Math.max(...differences)).toBeLessThan(20);
  },
);
