import { ConfigError, InputError } from "@tryon/client";

import {
  prepareWith,
  type Encoder,
  type PreparableImage,
  type PrepareImageOptions,
} from "./prepare-image.ts";

const quality = 0.9;

const encodeImage: Encoder = async (image, { maxSide, type }, onUndecodable) => {
  // Not all runtimes have these.
  const { createImageBitmap: decode, OffscreenCanvas: Canvas } = globalThis as Partial<
    typeof globalThis
  >;
  if (!decode || !Canvas) {
    throw new ConfigError(
      "invalid_config",
      "prepareImage needs createImageBitmap and OffscreenCanvas, which this runtime does not have.",
      "Prepare images in pages or in Node.",
    );
  }
  // Applies the EXIF orientation.
  const bitmap = await decode(image).catch(onUndecodable);
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = new Canvas(width, height);
  const context = canvas.getContext("2d");
  if (!context) return onUndecodable(new Error("The canvas has no context."));
  if (type === "image/jpeg") {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
  }
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const encoded = await canvas.convertToBlob({ type, quality });
  // A browser without an encoder for the type returns a PNG.
  if (encoded.type === type) return encoded;
  throw new InputError("format", 'must be "jpeg", since this browser writes no WebP');
};

/**
 * Prepares a photo for a try-on: turns it upright, shrinks it, and removes its metadata, such as the location. Converts CMYK
 * to sRGB, and takes the first frame of an animation. The result is a `Blob` for `person` or `garments`. The browser decodes and
 * encodes the image, in a page or a web worker. For Node, Bun and Deno, `@tryon/client/node` has the same function.
 *
 * @throws `invalid_input` for an empty, incomplete or unknown image, for one that the browser cannot decode, such
 * as HEIC outside Safari, and for an invalid option. `invalid_config` in a runtime that cannot decode images.
 * @example
 * import { prepareImage } from "@tryon/client/session";
 *
 * const person = await prepareImage(file, { maxSide: 1_536 });
 * const result = await tryon.run({ person, garments: [shirt] });
 */
export async function prepareImage(
  file: PreparableImage,
  options: PrepareImageOptions = {},
): Promise<Blob> {
  return prepareWith(encodeImage, file, options);
}
