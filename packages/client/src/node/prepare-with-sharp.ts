import { loadSharp } from "#sharp";
import { ConfigError } from "@tryon/client";

import {
  prepareWith,
  type Encoder,
  type PreparableImage,
  type PrepareImageOptions,
} from "../photos/prepare-image.ts";
import { removeMetadata } from "../images/remove-metadata.ts";
import { srgbConverter } from "./convert-to-srgb.ts";

const quality = 90;

const encodeImage: Encoder = async (image, target, onUndecodable) => {
  const { header, maxSide, type, keepWarning } = target;
  const sharp = await loadSharp().catch(() => {
    throw new ConfigError(
      "invalid_config",
      "prepareImage needs the package sharp in Node, Bun and Deno.",
      "Run npm install sharp.",
    );
  });
  const convert = srgbConverter(header);
  // Refuses a missing end, and accepts what browsers show, such as stray bytes.
  const options = { failOn: "error", ignoreIcc: convert !== undefined } as const;
  const bytes = new Uint8Array(await image.arrayBuffer());
  // libvips ignores the EXIF data after the image data of a PNG, and other rare ones. This moves it.
  const moved = header.orientation > 1 ? await removeMetadata(bytes, header) : undefined;
  // Without an angle, it applies the EXIF orientation.
  const upright = sharp((await moved?.arrayBuffer()) ?? bytes, options).rotate();
  let shrunk = upright.resize(maxSide, maxSide, { fit: "inside", withoutEnlargement: true });
  let isClipped = true;
  if (convert) {
    const { depth } = await upright.metadata().catch(onUndecodable);
    const isDeep = depth === "ushort";
    const raw = shrunk
      .toColourspace(isDeep ? "rgb16" : "srgb")
      .raw({ depth: isDeep ? "ushort" : "uchar" });
    const { data, info } = await raw.toBuffer({ resolveWithObject: true }).catch(onUndecodable);
    const values = new Uint8Array(data);
    const pixels = convert(isDeep ? new Uint16Array(values.buffer) : values, info.channels);
    ({ isClipped } = pixels);
    shrunk = sharp(pixels.converted, { raw: info });
  }
  if (header.isHdr && isClipped) keepWarning("hdr");
  if (header.isWideGamut && !convert && !header.hasProfile) keepWarning("wide_gamut");
  const encoded =
    type === "image/jpeg"
      ? shrunk.flatten({ background: "#fff" }).jpeg({ quality })
      : shrunk.webp({ quality });
  const prepared = await encoded.toBuffer().catch(onUndecodable);
  return new Blob([new Uint8Array(prepared)], { type });
};

/**
 * Prepares a photo for a try-on: turns it upright, shrinks it, and removes its metadata, such as the location. Converts CMYK,
 * wide-gamut and HDR colors to sRGB, and takes the first frame of an animation. The result is a `Blob` for `person`
 * or `garments`. If its colors could not be converted, `validate` gives the warning for it. The package `sharp`
 * decodes and encodes the image: `npm install sharp`. For pages, `@tryon/client/session` has the same function.
 *
 * @throws `invalid_input` for an empty, incomplete or unknown image, for one that sharp cannot decode, such
 * as HEIC or BMP, and for an invalid option. `invalid_config` without sharp.
 * @example
 * import { openAsBlob } from "node:fs";
 * import { prepareImage } from "@tryon/client/node";
 *
 * const person = await prepareImage(await openAsBlob("me.jpg"), { maxSide: 1_536 });
 * const result = await tryon.run({ person, garments: [shirt] });
 */
export async function prepareImage(
  file: PreparableImage,
  options: PrepareImageOptions = {},
): Promise<Blob> {
  return prepareWith(encodeImage, file, options);
}
