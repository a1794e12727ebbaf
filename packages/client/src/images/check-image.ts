import type { Note } from "../errors/input-issue.ts";
import { maxImageBytes, type ImageContent, type ImageSource } from "./image-source.ts";

/** Maximum length of base64 that the service accepts. */
const maxBase64Length = 14_000_000;
const headLength = 64;

/** Notes problems of an image by its size and its first bytes, and reads nothing else. */
export async function checkImage(image: ImageSource<ImageContent>, note: Note): Promise<void> {
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
