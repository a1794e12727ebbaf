import { ConfigError, InputError } from "@tryon/client";

import { removeMetadata } from "../images/remove-metadata.ts";
import { decoderProbes } from "./decoder-probes.ts";
import {
  prepareWith,
  type Encoder,
  type EncoderTarget,
  type PreparableImage,
  type PrepareImageOptions,
} from "./prepare-image.ts";

const quality = 0.9;
/** Mean difference per value. Noise against fingerprinting has about 90, and changes of single values less than 1. */
const maxNoise = 16;

function createCanvas(width: number, height: number) {
  // Not all runtimes have these.
  const { OffscreenCanvas: Canvas, createImageBitmap: decode } = globalThis as Partial<
    typeof globalThis
  >;
  const canvas = Canvas && new Canvas(width, height);
  const context = canvas?.getContext("2d");
  if (canvas && context && decode) return { canvas, context };
  throw new ConfigError(
    "invalid_config",
    "prepareImage needs createImageBitmap and OffscreenCanvas, which this runtime does not have.",
    "Prepare images in pages or in Node.",
  );
}

const encodeImage: Encoder = async (image, target, onUndecodable) => {
  const { header, maxSide, type } = target;
  if (!(await keepsPixels())) return withoutCanvas(image, target);
  let { orientation } = header;
  let bare: Blob | undefined;
  if (orientation > 1) {
    const bytes = new Uint8Array(await image.arrayBuffer());
    // No decoder applies an orientation that was removed.
    bare = await removeMetadata(bytes, { format: header.format, orientation: 1 });
    // In other formats, it is a part of the image.
    const isApplied = header.format !== "AVIF" || (await probe("AVIF")).isUpright;
    if (!bare && isApplied) orientation = 1;
  }
  const source = await decodeImage(bare ?? image, target).catch(onUndecodable);
  const isFrame = "displayWidth" in source;
  const columns = isFrame ? source.displayWidth : source.width;
  const rows = isFrame ? source.displayHeight : source.height;
  const scale = Math.min(1, maxSide / Math.max(columns, rows));
  const across = Math.max(1, Math.round(columns * scale));
  const down = Math.max(1, Math.round(rows * scale));
  const isTurned = orientation > 4;
  const [width, height] = isTurned ? [down, across] : [across, down];
  const { canvas, context } = createCanvas(width, height);
  if (type === "image/jpeg") {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
  }
  // EXIF defines the side of the photo where the first row and the first column of the pixels are.
  const x = [2, 3, 6, 7].includes(orientation) ? -1 : 1;
  const y = [3, 4, 7, 8].includes(orientation) ? -1 : 1;
  const [left, top] = [x < 0 ? width : 0, y < 0 ? height : 0];
  if (isTurned) context.setTransform(0, y, x, 0, left, top);
  else context.setTransform(x, 0, 0, y, left, top);
  context.imageSmoothingQuality = "high";
  context.drawImage(source, 0, 0, across, down);
  source.close();
  const encoded = await canvas.convertToBlob({ type, quality });
  // A browser without an encoder for the type returns a PNG.
  if (encoded.type !== type) {
    throw new InputError("format", 'must be "jpeg", since this browser writes no WebP');
  }
  await keepColorWarnings(target);
  return encoded;
};

/** Returns false if the browser returns noise for a canvas, as Firefox does with `privacy.resistFingerprinting`. */
async function keepsPixels(): Promise<boolean> {
  const { canvas, context } = createCanvas(16, 16);
  const colors = [
    [192, 64, 128, 255],
    [64, 192, 128, 255],
  ];
  context.fillStyle = "rgb(192 64 128)";
  context.fillRect(0, 0, 8, 16);
  context.fillStyle = "rgb(64 192 128)";
  context.fillRect(8, 0, 8, 16);
  try {
    const { data } = await pixelsOf(await canvas.convertToBlob());
    const noise = data.reduce(
      (sum, value, at) => sum + Math.abs(value - (colors[(at >> 5) & 1]?.[at & 3] ?? 0)),
      0,
    );
    return noise < maxNoise * data.length;
  } catch {
    return false;
  }
}

async function pixelsOf(image: Blob): Promise<ImageData> {
  const bitmap = await createImageBitmap(image);
  const { width, height } = bitmap;
  const { context } = createCanvas(width, height);
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, width, height);
}

/** Returns an image that needs no change, without its metadata. */
async function withoutCanvas(image: Blob, target: EncoderTarget): Promise<Blob> {
  const { header, maxSide, type } = target;
  const { format = "", width, height, orientation } = header;
  const wanted = type === "image/jpeg" ? "JPEG" : "WebP";
  const changes = [
    format !== wanted && `converted to ${wanted}`,
    Math.max(width, height) > maxSide && `shrunk to ${maxSide} pixels`,
    orientation > 1 && "turned upright",
    header.isAnimated && "reduced to one frame",
  ].filter((change) => change !== false);
  const bytes = changes.length === 0 && new Uint8Array(await image.arrayBuffer());
  const bare = bytes && (await removeMetadata(bytes, header));
  if (bare) return bare;
  const problem = `must be ${changes.join(" and ")}, and this browser returns noise for images that a page draws`;
  const hint = `Allow the page to read its canvas, or use an upright ${wanted} of at most ${maxSide} pixels.`;
  throw new InputError("file", problem, { hint });
}

async function decodeImage(
  image: Blob,
  { header: { format, width, height }, maxSide }: EncoderTarget,
): Promise<ImageBitmap | VideoFrame> {
  const longer = Math.max(width, height);
  const { ImageDecoder: Decoder } = globalThis as Partial<typeof globalThis>;
  // Decoders of JPEG scale by eighths, and need a fraction of the memory then. `createImageBitmap` does not use that.
  const part = Math.ceil((maxSide / longer) * 8) / 8;
  if (format === "JPEG" && Decoder && part < 1) {
    try {
      const decoder = new Decoder({
        data: image.stream(),
        type: "image/jpeg",
        desiredWidth: Math.ceil(width * part),
        desiredHeight: Math.ceil(height * part),
      });
      const { image: frame } = await decoder.decode();
      decoder.close();
      return frame;
    } catch {
      // `createImageBitmap` decodes it or has the error.
    }
  }
  if (longer <= maxSide) return createImageBitmap(image);
  // The decoder keeps the ratio of the sides.
  const side = width > height ? "resizeWidth" : "resizeHeight";
  return createImageBitmap(image, { [side]: maxSide, resizeQuality: "high" });
}

type Probe = keyof typeof decoderProbes;

const probed = new Map<Probe, Promise<{ isUpright: boolean; isRed: boolean }>>();

/** Decodes an image that shows what the decoder applies. */
function probe(name: Probe) {
  const known = probed.get(name);
  if (known) return known;
  const bytes = Uint8Array.from(atob(decoderProbes[name]), (unit) => unit.charCodeAt(0));
  const result = pixelsOf(new Blob([bytes])).then(
    ({ width, height, data: [red = 0, green = 0] }) => ({
      isUpright: height > width,
      // Tone mapping of HDR darkens it. Display P3 has 234 and 51 for this color.
      isRed: red > 100 && green < 40,
    }),
    () => ({ isUpright: false, isRed: false }),
  );
  probed.set(name, result);
  return result;
}

const isRight = async (name: Probe) => (await probe(name)).isRed;

async function keepColorWarnings({ header, keepWarning }: EncoderTarget): Promise<void> {
  const { format, hasProfile } = header;
  if (header.isCmyk && !(hasProfile && (await isRight("JPEG")))) keepWarning("cmyk");
  if (header.isHdr && !(await isRight("HDR"))) keepWarning("hdr");
  // All decoders apply profiles of JPEG and PNG.
  const isProbed = format === "AVIF" || format === "WebP" || (format === "PNG" && !hasProfile);
  if (header.isWideGamut && isProbed && !(await isRight(format))) keepWarning("wide_gamut");
}

/**
 * Prepares a photo for a try-on: turns it upright, shrinks it, and removes its metadata, such as the location. Converts CMYK
 * to sRGB, and takes the first frame of an animation. The result is a `Blob` for `person` or `garments`. The browser decodes and
 * encodes the image, in a page or a web worker. The first call loads the code. For Node, Bun and Deno, `@tryon/client/node` has the same function.
 *
 * @throws `invalid_input` for an empty, incomplete or unknown image, for one that the browser cannot decode, such
 * as HEIC outside Safari, and for an invalid option. Also for an image that needs a change in a browser that resists
 * fingerprinting; other images are returned without their metadata there. `invalid_config` in a runtime that cannot decode images. `connection_failed`
 * if the page cannot load the code.
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
