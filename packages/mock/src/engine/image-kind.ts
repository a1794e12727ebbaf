/** Media types of accepted images. */
export type ImageKind =
  | "image/jpeg"
  | "image/png"
  | "image/webp"
  | "image/avif"
  | "image/heic"
  | "image/gif";

const heicBrands = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]);

/** Detects the kind of an image by its first 24 bytes. */
export function imageKind(head: Uint8Array): ImageKind | undefined {
  const text = (from: number, to: number): string =>
    String.fromCharCode(...head.subarray(from, to));
  if (text(0, 3) === "\u00FF\u00D8\u00FF") return "image/jpeg";
  if (text(0, 8) === "\u0089PNG\r\n\u001A\n") return "image/png";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  if (text(0, 6) === "GIF87a" || text(0, 6) === "GIF89a") return "image/gif";
  if (text(4, 8) !== "ftyp") return undefined;
  const brand = text(8, 12);
  if (brand === "avif" || brand === "avis") return "image/avif";
  return heicBrands.has(brand) ? "image/heic" : undefined;
}
