import type { Cause, CauseFinding } from "./cause.ts";
import { charsetVariants } from "./charset-variants.ts";
import { decodeBase64, decodeUtf8, encodeUtf8, readJson } from "./encodings.ts";
import { decompress, isCompressed } from "./gzip.ts";
import { jsonForms } from "./json-variants.ts";
import { trimmed, trimmedEnd } from "./trim.ts";

/** A body that may have been signed, and what then has happened to the one that was given. */
export interface BodyVariant extends CauseFinding {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const mark = "\uFEFF";

/** Every body of which one mishap makes the one given; none is longer than a few times `most`. */
export async function* bodyVariants(bytes: Uint8Array, most: number): AsyncGenerator<BodyVariant> {
  const text = decodeUtf8(bytes);
  if (text !== undefined) {
    // Written anew, JSON loses its other troubles: they come first, to be called by their names.
    yield* named("body_line_end", lineEnds(text));
    yield* named("body_line_breaks", lineBreaks(text));
    yield* named("body_byte_order_mark", [
      text.startsWith(mark)
        ? { detail: "put on", text: text.slice(1) }
        : { detail: "taken off", text: `${mark}${text}` },
    ]);
    yield* named("body_rewritten", safely(jsonForms, text));
    yield* named("body_form_encoded", safely(formParts, text));
    yield* named("body_quoted", unquoted(text));
    yield* named("body_base64", [decodeBase64(text.trim())]);
    yield* named("body_buffer_json", [bufferOf(readJson(text))]);
  }
  yield* named("body_charset", charsetVariants(bytes, text));
  if (isCompressed(bytes)) yield* named("body_compressed", [await decompress(bytes, most)]);
}

/** What can be seen of a body without trying anything. */
export function inspectBody(bytes: Uint8Array): readonly Cause[] {
  if (bytes.length === 0) return ["body_empty"];
  if (isCompressed(bytes)) return ["body_compressed"];
  const text = decodeUtf8(bytes);
  if (text === undefined) return ["body_charset"];
  const causes: Cause[] = [];
  if (text.includes("\uFFFD")) causes.push("body_bytes_lost");
  if (text.startsWith("[object ")) causes.push("body_parsed");
  else if (decodeBase64(text.trim()) !== undefined) causes.push("body_base64");
  else if (/^[^\s{"[]+=/.test(text) || /^%7B/i.test(text)) causes.push("body_form_encoded");
  else if (unquoted(text).length > 0) causes.push("body_quoted");
  return causes;
}

type Made =
  | { readonly detail?: string; readonly text: string }
  | { readonly detail?: string; readonly bytes: Uint8Array<ArrayBuffer> };

function* named(
  cause: Cause,
  made: Iterable<Made | Uint8Array<ArrayBuffer> | undefined>,
): Generator<BodyVariant> {
  for (const one of made) {
    if (one === undefined) continue;
    if (one instanceof Uint8Array) yield { cause, bytes: one };
    else {
      const bytes = "text" in one ? encodeUtf8(one.text) : one.bytes;
      yield { cause, detail: one.detail, bytes };
    }
  }
}

/** What nests too deep, or holds a broken escape, has no such variants. */
function safely(make: (text: string) => readonly Made[], text: string): readonly Made[] {
  try {
    return make(text);
  } catch {
    return [];
  }
}

function lineEnds(text: string): readonly Made[] {
  const bare = trimmedEnd(text, (character) => /[\r\n]/.test(character));
  const plain = trimmed(text, (character) => /[ \t\r\n]/.test(character));
  const forms = [bare, `${bare}\n`, `${bare}\r\n`, plain];
  return [...new Set(forms)].filter((form) => form !== text).map((form) => ({ text: form }));
}

function lineBreaks(text: string): readonly Made[] {
  const unix = text.replaceAll("\r\n", "\n");
  const forms = [unix, unix.replaceAll("\n", "\r\n")];
  return forms.filter((form) => form !== text).map((form) => ({ text: form }));
}

/** A form of one field whose value, or whose very name, is the body; or all of it percent-encoded. */
function formParts(text: string): readonly Made[] {
  if (!/[=%+]/.test(text) || /^\s*[{["]/.test(text)) return [];
  const [first] = new URLSearchParams(text);
  return [decodeURIComponent(text), ...(first ?? [])]
    .filter((part) => part !== "" && part !== text)
    .map((part) => ({ text: part }));
}

function unquoted(text: string): readonly Made[] {
  const value = text.trimStart().startsWith('"') ? readJson(text) : undefined;
  return typeof value === "string" ? [{ text: value }] : [];
}

/** The bytes of `{"type":"Buffer","data":[…]}` or of `{"0":…,"1":…}`. */
function bufferOf(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields = { ...value } as Readonly<Record<string, unknown>>;
  const numbers = Array.isArray(fields["data"]) ? fields["data"] : Object.values(fields);
  const whole = numbers.length > 0 && (fields["type"] === "Buffer" || "0" in fields);
  return whole && numbers.every(isByte) ? Uint8Array.from(numbers) : undefined;
}

function isByte(byte: unknown): byte is number {
  return typeof byte === "number" && Number.isInteger(byte) && byte >= 0 && byte <= 255;
}
