import { InputError } from "../errors/input-error.ts";
import type { ImageSource } from "./image-input.ts";

/** What the service takes at most, and what the longest base64 text that it takes holds. */
const longestImage = 10_500_000;

/** The bytes of an image. Throws `invalid_input` when they are too many, none, unreadable or plainly no image. */
export async function readImage(source: ImageSource): Promise<Uint8Array> {
  const { content, field } = source;
  checkLength(content instanceof Uint8Array ? content.length : content.size, field);
  const bytes = content instanceof Uint8Array ? content : await readBlob(content, field);
  checkLength(bytes.length, field);
  const found = textKind(bytes);
  if (found === undefined) return bytes;
  throw new InputError(field, `is ${found}, not an image`, {
    hint: "Give a JPEG, PNG, WebP, AVIF, HEIC or GIF.",
  });
}

async function readBlob(blob: Blob, field: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch {
    throw new InputError(field, "could not be read", {
      hint: "Was the file changed or removed? Open it again.",
    });
  }
}

function checkLength(length: number, field: string): void {
  if (length === 0) {
    throw new InputError(field, "is empty", { hint: "Give the bytes of an image." });
  }
  if (length > longestImage) {
    throw new InputError(field, `has ${length} bytes, and the limit is ${longestImage}`, {
      bound: longestImage,
      hint: "Scale it down, or send it as an https address.",
    });
  }
}

/** What bytes are when they are text, by their beginning; undefined when they are not. Every image kind has other bytes there. */
function textKind(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 64);
  if (head.some((byte) => byte < 9 || (byte > 13 && byte < 32))) return undefined;
  const start = new TextDecoder().decode(head).trimStart();
  // The last character may have been cut in two.
  if (start.slice(0, -1).includes("\uFFFD")) return undefined;
  if (/^<(svg|\?xml)/i.test(start)) return "SVG or XML";
  if (start.startsWith("<")) return "HTML";
  return /^[{[]/.test(start) ? "JSON" : "text";
}
