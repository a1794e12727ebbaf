import { describePath, imageOf, nodeImage } from "#runtime";

import type { Note } from "../errors/input-issue.ts";
import type { BlobLike } from "../http/blob-like.ts";
import type { Deadline } from "../http/deadline.ts";
import { readChunks } from "../http/send-request.ts";
import {
  keptWarnings,
  readImageHeader,
  truncation,
  type ColorWarning,
  type ImageHeader,
} from "./read-image-header.ts";

/** Maximum size of an image in bytes: as many as base64 of `maxBase64Length` holds. */
const maxImageBytes = 10_500_000;
const maxBase64Length = 14_000_000;
const minSide = 512;
/** Maximum number of pixels that any service accepts as far as is known. */
const maxPixels = 50_000_000;

type ImageContent = string | BlobLike;

export interface ImageSource<Content = ImageContent | Response> {
  readonly field: string;
  /** A `Response` can be read only once. */
  readonly content: Content;
}

export type RepeatableImage = ImageSource<ImageContent>;

export function isPerson({ field }: { readonly field: string }): boolean {
  return field.startsWith("person");
}

export function imageSource(
  input: unknown,
  field: string,
  note: Note,
): string | ImageSource | undefined {
  // Tags work across realms, unlike `instanceof`. Each cast below is to the type of the tag.
  const tag = Object.prototype.toString.call(input).slice(8, -1);
  const text = tag === "String" || tag === "URL" ? String(input) : "";
  const base64 =
    /^data:[^,]*;base64,(.*)/is.exec(text)?.[1] ?? (Object(input) as { base64?: unknown }).base64;
  if (typeof base64 === "string") return { field, content: standardBase64(base64) };
  if (text !== "") return text;
  try {
    if (tag.endsWith("ArrayBuffer") || ArrayBuffer.isView(input)) {
      // Without a `buffer`, the input is a buffer.
      const { buffer = input, byteOffset, byteLength } = input as Partial<Uint8Array>;
      const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
      return { field, content: imageOf(bytes) };
    }
    if (tag === "Blob" || tag === "File") return { field, content: input as Blob };
    if (tag === "Response" || tag === "ReadableStream") {
      const isResponse = tag === "Response";
      const response = isResponse ? (input as Response) : new Response(input as ReadableStream);
      if (response.ok) return { field, content: response };
      note("not_an_image", field, `a response with status ${response.status}`);
    } else {
      const content = nodeImage(input);
      if (content) return imageSource(content, field, note);
      note("wrong_kind", field, describePath(input));
    }
  } catch {
    note("unreadable", field);
  }
  return undefined;
}

function standardBase64(text: string): string {
  const base64 = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/");
  return base64 + "=".repeat(-base64.length & 3);
}

export function isRepeatable(image: ImageSource): image is RepeatableImage {
  return typeof image.content === "string" || "slice" in image.content;
}

export async function repeatableSource(
  image: ImageSource,
  note: Note,
  deadline: Deadline,
): Promise<RepeatableImage | undefined> {
  if (isRepeatable(image)) return image;
  const { field, content } = image;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    // Only a response cannot be read repeatedly.
    for await (const chunk of readChunks(content as Response, deadline)) {
      if (!ArrayBuffer.isView(chunk)) {
        note("wrong_kind", field, " but a stream of text");
        return undefined;
      }
      size += chunk.length;
      if (size > maxImageBytes) break;
      chunks.push(chunk);
    }
    if (size <= maxImageBytes) return { field, content: new Blob(chunks) };
    note("too_large", field, `${size} or more`, maxImageBytes);
  } catch (error) {
    deadline.signal.throwIfAborted();
    note("unreadable", field, describePath(error));
  }
  return undefined;
}

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
