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
  quarters,
  withChunks,
} from "../../test/photos.ts";
import { differenceOf, metadataOf, prepareSuite } from "../../test/prepare-suite.ts";
import { shirtUrl } from "../../test/service.ts";
import { prepareImage, type PreparableImage } from "../node/index.ts";

const { tryon } = recordingClient();

async function errorOf(file: unknown) {
  // JavaScript callers can pass anything.
  const work = prepareImage(file as PreparableImage);
  const error: unknown = await work.catch((caught: unknown) => caught);
  if (!isTryOnError(error)) throw new Error("It did not fail as expected.", { cause: error });
  return error;
}

describe("prepareImage", () => {
  prepareSuite(prepareImage);

  it.each(["before", "after"])("turns a PNG upright by eXIf %s its image data", async (place) => {
    const png = await sharp(await quarters(1))
      .rotate(180)
      .png()
      .toBuffer();
    const early = withChunks(png, { eXIf: exif(3).subarray(6) });
    // The chunk follows the header of 33 bytes.
    const added = early.subarray(33, 33 + early.length - png.length);
    const late = Buffer.concat([png.subarray(0, -12), added, png.subarray(-12)]);
    expect(await differenceOf(await prepareImage(place === "after" ? late : early))).toBeLessThan(
      16,
    );
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
  it.each<[string, () => Promise<unknown>, string, code?: string]>([
    [
      "a truncated photo",
      async () => (await photos["baseline JPEG"]()).subarray(0, -2),
      "file is incomplete: the end marker of the JPEG is missing. Read or upload it again.",
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
      "file could not be read. It may have been changed, removed or read before.",
      "unreadable",
    ],
    [
      "an image that sharp cannot decode",
      async () => {
        const broken = Buffer.from(await photos.PNG());
        return broken.fill(7, 3_000, broken.length - 100);
      },
      "file is PNG, and it could not be decoded. It may be damaged: use another file.",
    ],
    [
      "a format that sharp does not decode",
      async () => {
        const bmp = Buffer.alloc(58);
        bmp.write("BM", "latin1");
        for (const [at, value] of Object.entries({ 10: 54, 14: 40, 18: 1, 22: 1, 28: 24 }))
          bmp[Number(at)] = value;
        return bmp;
      },
      "file is BMP, and it could not be decoded. Send it as it is, or convert it to JPEG first.",
    ],
    ...["me.jpg", undefined].map((file): [string, () => Promise<unknown>, string] => [
      `the file ${file}`,
      async () => file,
      "file must be a Blob, a File, an ArrayBuffer or a Uint8Array. Use fs.openAsBlob for a path, and (await fetch(url)).blob() for a URL.",
    ]),
  ])("%s", async (what, create, message, code) => {
    const error = await errorOf(await create());
    const issues = [{ field: "file", ...(code !== undefined && { code }) }];
    expect(error).toMatchObject({ code: "invalid_input", message, issues });
    expect(error.cause instanceof Error).toBe(what.includes("decode"));
  });
});
