import { imageOf } from "#runtime";

import type { Note } from "../errors/input-issue.ts";
import type { BlobLike } from "../http/blob-like.ts";
import type { Deadline } from "../http/deadline.ts";
import { readChunks } from "../http/fetch-transport.ts";

/** Maximum size of an image in bytes: as many as base64 of `maxBase64Length` holds. */
const maxImageBytes = 10_500_000;
/** Maximum length of base64 that the service accepts. */
const maxBase64Length = 14_000_000;
/** Number of bytes that show the format of an image. */
const headLength = 64;

/** Base64, or bytes that can be read repeatedly. */
type ImageContent = string | BlobLike;

/** Image that is part of the request body. */
export interface ImageSource<Content = ImageContent | Response> {
  /** Field of the input. */
  readonly field: string;
  /** A `Response` can be read only once. */
  readonly content: Content;
}

/** Image that each attempt can read. */
export type RepeatableImage = ImageSource<ImageContent>;

/** Returns true for an image of the person, and false for one of a garment. */
export function isPerson({ field }: { readonly field: string }): boolean {
  return field.startsWith("person");
}

/** Returns the URL of an image, or its source if it is part of the body. Notes any other value. */
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
      note("wrong_kind", field);
    }
  } catch {
    note("unreadable", field);
  }
  return undefined;
}

/** Converts base64url, lines and missing padding to the base64 that the service accepts. */
function standardBase64(text: string): string {
  const base64 = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/");
  return base64 + "=".repeat(-base64.length & 3);
}

/** Returns true if the image can be read repeatedly. */
export function isRepeatable(image: ImageSource): image is RepeatableImage {
  return typeof image.content === "string" || "slice" in image.content;
}

/** Reads an image into memory if it can be read only once. Returns undefined and notes why if it cannot be read. */
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
      size += chunk.length;
      if (size > maxImageBytes) break;
      chunks.push(chunk);
    }
    if (size <= maxImageBytes) return { field, content: new Blob(chunks) };
    note("too_large", field, `${size} or more`, maxImageBytes);
  } catch {
    deadline.signal.throwIfAborted();
    note("unreadable", field);
  }
  return undefined;
}

/** Notes problems of an image by its size and its first bytes, and reads nothing else. */
export async function checkImage(image: RepeatableImage, note: Note): Promise<void> {
  const { field, content } = image;
  let head: Uint8Array;
  if (typeof content === "string") {
    const { length } = content;
    if (length > maxBase64Length) return note("too_long", field, length, maxBase64Length);
    // Searches for the first other character, since a pattern for the whole text would backtrack over megabytes.
    const end = content.search(/[^A-Za-z0-9+/]|$/);
    if (end % 4 === 1 || !/^={0,2}$/.test(content.slice(end))) return note("not_base64", field);
    head = Uint8Array.from(atob(content.slice(0, headLength)), (unit) => unit.charCodeAt(0));
  } else {
    const { size } = content;
    if (size > maxImageBytes) return note("too_large", field, size, maxImageBytes);
    try {
      head = new Uint8Array(await content.slice(0, headLength).arrayBuffer());
    } catch {
      return note("unreadable", field);
    }
  }
  if (head.length === 0) return note("empty", field);
  const start = String.fromCharCode(...head).replace(/^\xEF\xBB\xBF/, "");
  // JPEG, PNG, GIF, WebP, and the container of AVIF and HEIC.
  if (/^(\xFF\xD8\xFF|\x89PNG|GIF8|RIFF.{4}WEBP|.{4}ftyp)/s.test(start)) return;
  const [, format] = textFormats.find(([pattern]) => pattern.test(start)) ?? [];
  note(format === undefined ? "unknown_image" : "not_an_image", field, format);
}

/** Formats of text, by the first characters. */
const textFormats = [
  [/^\s*<(svg|\?xml)/i, "SVG or XML"],
  [/^\s*</, "HTML"],
  [/^\s*[{[]/, "JSON"],
  [/^[\s -~]*$/, "text"],
] as const;
