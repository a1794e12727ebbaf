// Code that differs between pages and Node: this file is for pages, `node/encode-with-sharp.ts` is for Node. `imports` of
// package.json selects one.
import { ConfigError, InputError } from "@tryon/client";

export interface Target {
  readonly maxSide: number;
  readonly type: "image/jpeg" | "image/webp";
}

const quality = 0.9;

export async function encodeImage(
  image: Blob,
  { maxSide, type }: Target,
  onUndecodable: (cause: unknown) => never,
): Promise<Blob> {
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
}
