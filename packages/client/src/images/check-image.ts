import type { Note } from "../errors/input-issue.ts";
import type { BlobLike } from "../http/blob-like.ts";
import { maxBase64Length, maxImageBytes } from "./image-limits.ts";
import type { ImageSource, RepeatableImage } from "./image-source.ts";
import {
  keptWarnings,
  readImageHeader,
  truncation,
  type ColorWarning,
  type ImageHeader,
} from "./read-image-header.ts";

const minSide = 512;
/** Maximum number of pixels that any service accepts as far as is known. */
const maxPixels = 50_000_000;

export async function checkImage(image: RepeatableImage, note: Note): Promise<void> {
  const { field, content } = image;
  if (typeof content === "string") {
    const { length } = content;
    if (length > maxBase64Length) return note("too_long", field, length, maxBase64Length);
    // Searches for the first other character, since a pattern for the whole text would backtrack over megabytes.
    const end = content.search(/[^A-Za-z0-9+/]|$/);
    if (end % 4 === 1 || !/^={0,2}$/.test(content.slice(end))) return note("not_base64", field);
    return checkHeader({ field, content: base64Blob(content, end) }, note);
  }
  const { size } = content;
  if (size > maxImageBytes) return note("too_large", field, size, maxImageBytes);
  return checkHeader({ field, content }, note);
}

function base64Blob(text: string, length: number): BlobLike {
  return {
    size: Math.floor(length * 0.75),
    slice: (start, end) => ({
      async arrayBuffer() {
        const group = Math.floor(start / 3);
        const decoded = atob(text.slice(group * 4, Math.ceil(end / 3) * 4));
        const bytes = Uint8Array.from(decoded, (unit) => unit.charCodeAt(0));
        return bytes.slice(start - group * 3).buffer;
      },
    }),
  };
}

async function checkHeader({ field, content }: ImageSource<BlobLike>, note: Note): Promise<void> {
  if (content.size === 0) return note("empty", field);
  let header: ImageHeader;
  try {
    header = await readImageHeader(content);
  } catch {
    return note("unreadable", field);
  }
  const { start, format, width, height, orientation } = header;
  if (header.isTruncated) return note("truncated", field, truncation(header));
  if (format === undefined) {
    const text = start.replace(/^\xEF\xBB\xBF/, "");
    const [, name] = textFormats.find(([pattern]) => pattern.test(text)) ?? [];
    return note(name === undefined ? "unknown_image" : "not_an_image", field, name);
  }
  const pixels = width * height;
  const size = `${width} × ${height}`;
  if (pixels > maxPixels) note("high_resolution", field, size, maxPixels);
  if (pixels > 0 && Math.min(width, height) < minSide) note("low_resolution", field, size, minSide);
  const { [keptWarnings]: kept = [] } = content as { [keptWarnings]?: readonly ColorWarning[] };
  if (header.isCmyk || kept.includes("cmyk")) note("cmyk", field);
  if (header.isWideGamut || kept.includes("wide_gamut")) note("wide_gamut", field);
  if (header.isHdr || kept.includes("hdr")) note("hdr", field);
  if (header.isAnimated) note("animated", field);
  const uncommon = header.rareKind ?? (/BMP|XL/.test(format) ? format : undefined);
  if (uncommon !== undefined) note("uncommon_format", field, uncommon);
  // Decoders of these apply their rotation.
  if (format === "HEIC" || format === "AVIF") note("heic_or_avif", field, format);
  else if (orientation > 1) note("rotated", field, orientation);
}

const textFormats = [
  [/^\s*<(svg|\?xml)/i, "SVG or XML"],
  [/^\s*</, "HTML"],
  [/^\s*[{[]/, "JSON"],
  [/^[\s -~]*$/, "text"],
] as const;
