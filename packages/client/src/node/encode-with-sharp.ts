import { ConfigError } from "@tryon/client";
import type { SharpConstructor } from "sharp";

import type { Target } from "../photos/encode-with-canvas.ts";

const quality = 90;

export async function encodeImage(
  image: Blob,
  { maxSide, type }: Target,
  onUndecodable: (cause: unknown) => never,
): Promise<Blob> {
  const sharp = await loadSharp();
  // Without an angle, it applies the EXIF orientation.
  const upright = sharp(await image.arrayBuffer()).rotate();
  const shrunk = upright.resize(maxSide, maxSide, { fit: "inside", withoutEnlargement: true });
  const encoded =
    type === "image/jpeg"
      ? shrunk.flatten({ background: "#fff" }).jpeg({ quality })
      : shrunk.webp({ quality });
  const bytes = await encoded.toBuffer().catch(onUndecodable);
  return new Blob([new Uint8Array(bytes)], { type });
}

async function loadSharp(): Promise<SharpConstructor> {
  try {
    return (await import("sharp")).default;
  } catch {
    throw new ConfigError(
      "invalid_config",
      "prepareImage needs the package sharp in Node, Bun and Deno.",
      "Run npm install sharp.",
    );
  }
}
