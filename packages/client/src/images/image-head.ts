import type { Note } from "../jobs/input-issue.ts";
import type { ImageBytes, ImageSource } from "./image-input.ts";

/** What the service takes at most, in bytes, and what the longest base64 text that it takes holds. */
export const maxImageBytes = 10_500_000;
const longestText = 14_000_000;
const headLength = 64;

/** Notes what is wrong with an image, by its size and its beginning, and reads no more than that. */
export async function checkImage(
  image: ImageSource<ImageBytes | string>,
  note: Note,
): Promise<void> {
  const { field, content } = image;
  let head: Uint8Array;
  if (typeof content === "string") {
    const { length } = content;
    if (length > longestText) return note("too_long", field, length, longestText);
    // Looks for what does not belong: a pattern for the whole would go back over megabytes.
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
  // JPEG, PNG, GIF, WebP, and what AVIF and HEIC are boxed in.
  if (/^(\xFF\xD8\xFF|\x89PNG|GIF8|RIFF.{4}WEBP|.{4}ftyp)/s.test(start)) return;
  const [, text] = texts.find(([pattern]) => pattern.test(start)) ?? [];
  note(text === undefined ? "unknown_image" : "not_an_image", field, text);
}

/** What a text is, by its beginning. */
const texts = [
  [/^\s*<(svg|\?xml)/i, "SVG or XML"],
  [/^\s*</, "HTML"],
  [/^\s*[{[]/, "JSON"],
  [/^[\s -~]*$/, "text"],
] as const;
