import sharp from "sharp";
import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { recordingClient } from "../../test/bodies.ts";
import {
  animation,
  createPhoto,
  exif,
  flat,
  photos,
  quarterColors,
  quarters,
  quarterSides,
  withChunks,
} from "../../test/photos.ts";
import { shirtUrl } from "../../test/service.ts";
import { prepareImage, type PreparableImage, type PrepareImageOptions } from "../node/index.ts";

const { tryon } = recordingClient();

const bytesOf = async (image: Blob): Promise<Buffer> => Buffer.from(await image.arrayBuffer());
const metadataOf = async (image: Blob) => sharp(await bytesOf(image)).metadata();

/** Returns the colors of the quarters of an image, from the upper left to the lower right. */
async function colorsOf(image: Blob): Promise<number[][]> {
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
async function differenceOf(image: Blob): Promise<number> {
  const found = (await colorsOf(image)).flat();
  const differences = quarterColors.flat().map((value, at) => Math.abs(value - (found[at] ?? 0)));
  return Math.max(...differences);
}

async function errorOf(file: unknown, options?: unknown) {
  // JavaScript callers can pass anything.
  const work = prepareImage(file as PreparableImage, options as PrepareImageOptions);
  const error: unknown = await work.catch((caught: unknown) => caught);
  if (!isTryOnError(error)) throw new Error("It did not fail as expected.", { cause: error });
  return error;
}

describe("prepareImage", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "turns EXIF orientation %i upright, and removes the location",
    async (orientation) => {
      const photo = await quarters(orientation);
      expect(photo.includes("Exif")).toBe(true);
      for (const format of ["jpeg", "webp"] as const) {
        const image = await prepareImage(photo, { format });
        expect(image.type).toBe(`image/${format}`);
        expect(await metadataOf(image)).toMatchObject({ format, ...quarterSides });
        expect(await differenceOf(image)).toBeLessThan(16);
        const bytes = await bytesOf(image);
        for (const part of ["Exif", "EXIF", "GPS"]) expect(bytes.includes(part)).toBe(false);
        expect(bytes.includes(exif(1).subarray(76, 100))).toBe(false);
      }
    },
  );

  it("turns a PNG upright", async () => {
    const upright = sharp(await quarters(1)).rotate(180);
    const data = exif(3).subarray(6);
    expect(
      await differenceOf(
        await prepareImage(withChunks(await upright.png().toBuffer(), { eXIf: data })),
      ),
    ).toBeLessThan(16);
  });

  it.each([
    [undefined, [2_048, 1_024]],
    [512, [512, 256]],
    [2_500, [2_500, 1_250]],
    [4_096, [3_000, 1_500]],
  ])("shrinks to a maximum side of %s, and enlarges nothing", async (maxSide, sides) => {
    const photo = await flat({ width: 3_000, height: 1_500 }).jpeg().toBuffer();
    const { width, height } = await metadataOf(await prepareImage(photo, { maxSide }));
    expect([width, height]).toEqual(sides);
  });

  it("keeps at least one pixel of each side", async () => {
    const line = await flat({ width: 3_000, height: 1 }).png().toBuffer();
    const { width, height } = await metadataOf(await prepareImage(line, { maxSide: 512 }));
    expect([width, height]).toEqual([512, 1]);
  });

  it("replaces transparency with white in a JPEG, and keeps it in a WebP", async () => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 };
    const sides = { width: 600, height: 600, channels: 4 as const };
    const garment = await sharp({ create: { ...sides, background } })
      .png()
      .toBuffer();
    const [corner] = await colorsOf(await prepareImage(garment));
    expect(Math.min(...(corner ?? []))).toBeGreaterThan(250);
    const webp = await prepareImage(garment, { format: "webp" });
    expect((await sharp(await bytesOf(webp)).stats()).isOpaque).toBe(false);
  });

  it.each<[string, () => Promise<Buffer>]>([
    ["a rotated photo", () => quarters(6)],
    ["CMYK colors", () => createPhoto().toColourspace("cmyk").jpeg().toBuffer()],
    ["an animation", () => animation().gif().toBuffer()],
    ["AVIF", photos.AVIF],
    ["more than 50 megapixels", () => flat({ width: 7_200, height: 7_000 }).jpeg().toBuffer()],
  ])("returns an image without a warning: %s", async (_what, create) => {
    const photo = await create();
    const garments = [shirtUrl] as const;
    expect(await tryon.validate({ person: photo, garments })).not.toEqual([]);
    const person = await prepareImage(photo);
    expect(await tryon.validate({ person, garments })).toEqual([]);
    expect((await metadataOf(person)).space).toBe("srgb");
  });

  it("accepts a Blob, a File, an ArrayBuffer, a Uint8Array and shared memory, and leaves them unchanged", async () => {
    const photo = new Uint8Array(await quarters(6));
    const copy = photo.slice();
    const shared = new Uint8Array(new SharedArrayBuffer(photo.length));
    shared.set(photo);
    const files = [
      new Blob([photo]),
      new File([photo], "me.jpg"),
      photo.buffer,
      photo,
      Buffer.from(photo),
      shared,
    ];
    for (const file of files) expect(await differenceOf(await prepareImage(file))).toBeLessThan(16);
    expect(photo).toEqual(copy);
  });
});

describe("prepareImage rejects", () => {
  it.each<[string, () => Promise<unknown>, string, string]>([
    [
      "a truncated photo",
      async () => (await photos["baseline JPEG"]()).subarray(0, -2),
      "file is incomplete. Read or upload it again.",
      "truncated",
    ],
    ["an empty file", async () => new Blob([]), "file is empty.", "empty"],
    [
      "a page",
      async () => new Blob(["<!doctype html>"]),
      "file is in an unknown format, not an image. Use a JPEG, PNG, WebP, AVIF, HEIC or GIF.",
      "not_an_image",
    ],
    [
      "a file that cannot be read",
      async () => {
        const file = new Blob([new Uint8Array(await photos["baseline JPEG"]())]);
        file.slice = () =>
          Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error("no")) });
        return file;
      },
      "file could not be read. Open it again if it was changed, removed or read before.",
      "unreadable",
    ],
  ])("%s", async (_what, create, message, code) => {
    const error = await errorOf(await create());
    expect(error).toMatchObject({
      code: "invalid_input",
      message,
      issues: [{ field: "file", code }],
    });
  });

  it("an image that sharp cannot decode, with the reason as cause", async () => {
    const broken = Buffer.from(await photos.PNG());
    broken.fill(7, 3_000, broken.length - 100);
    const error = await errorOf(broken);
    expect(error).toMatchObject({
      code: "invalid_input",
      message: "file is PNG, and it could not be decoded. It may be damaged: use another file.",
      issues: [{ field: "file" }],
    });
    expect(error.cause).toBeInstanceOf(Error);
  });

  it.each([
    ["me.jpg", undefined, "file must be a Blob, a File, an ArrayBuffer or a Uint8Array."],
    [undefined, undefined, "file must be a Blob, a File, an ArrayBuffer or a Uint8Array."],
  ])("the arguments %j and %j", async (file, options, message) => {
    const error = await errorOf(file, options);
    expect(error).toMatchObject({ code: "invalid_input" });
    expect(error.message).toContain(message);
    expect(error.issues?.[0]?.field).toBe(message.split(" ")[0]);
  });
});
