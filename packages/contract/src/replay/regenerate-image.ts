import { createHash } from "node:crypto";

import { samples } from "../images.ts";
import type { ImageKind } from "../record/exchange.ts";

/**
 * Returns bytes of a recorded kind and length: an image if there is room for one, followed by bytes that depend on the
 * digest. The same digest gives the same bytes.
 */
export function regenerate(
  kind: ImageKind | "bytes",
  length: number,
  sha256: string,
): Buffer<ArrayBuffer> {
  const sample = Buffer.from(kind === "bytes" ? "" : samples[kind], "base64");
  const bytes = Buffer.alloc(length, createHash("sha256").update(sha256).digest());
  sample.copy(bytes);
  return bytes;
}
