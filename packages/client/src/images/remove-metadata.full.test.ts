import sharp from "sharp";
import { expect, it } from "vitest";

import { encode, privateFields } from "../../test/encoders.ts";
import { quarters } from "../../test/photos.ts";
import { prepareImage } from "../node/index.ts";
import { readImageHeader } from "./read-image-header.ts";
import { removeMetadata } from "./remove-metadata.ts";

const fields =
  "-Orientation=6 -GPSLatitude=48.85 -GPSLatitudeRef=N -Artist=Ada -SerialNumber=12 -XMP:Creator=Ada -XMP:GPSLongitude=2.35";

it.each([
  ["jpg", "-Comment=Ada -IPTC:Keywords=Ada "],
  ["png", "-Comment=Ada "],
  ["webp", ""],
  ["avif", ""],
] as const)("leaves no private field of a %s that exiftool finds", async (extension, more) => {
  // The pixels are turned, and have no EXIF yet.
  const photo = sharp(await quarters(6)).withIccProfile("p3");
  const format = extension === "jpg" ? "jpeg" : extension;
  const plain = await photo.toFormat(format).toBuffer();
  const command = `exiftool -q -overwrite_original -n ${fields} ${more}in.${extension}`;
  const image = await encode(plain, command);
  const trailing = extension === "avif" ? image : Buffer.concat([image, Buffer.from("Ada")]);
  const jpeg = await prepareImage(trailing);
  const webp = await prepareImage(trailing, { format: "webp" });
  const header = await readImageHeader(new Blob([new Uint8Array(image)]));
  const clean = await removeMetadata(new Uint8Array(trailing), header);
  expect(clean === undefined).toBe(extension === "avif");
  const results = [jpeg, webp, clean ?? jpeg];
  const files = await Promise.all(
    results.map(async (result) => Buffer.from(await result.arrayBuffer())),
  );
  const [before = [], ...after] = await privateFields(image, ...files);
  expect(before).toEqual(expect.arrayContaining(["EXIF:GPSLatitude", "XMP:Creator"]));
  expect(after).toEqual([[], [], []]);
  expect(files.map((file) => file.includes("Ada"))).toEqual([false, false, false]);
  // exiftool writes the orientation after the image data of a PNG. libvips writes irot in an AVIF.
  expect(header.orientation).toBe(6);
  expect((await sharp(files[2]).metadata()).orientation).toBe(clean && 6);
  const upright = await sharp(files[0]).metadata();
  expect(upright.width > upright.height).toBe(true);
});
