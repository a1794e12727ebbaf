import type { Cause } from "./causes.ts";
import {
  bytesOfLatin1,
  decodeBase64,
  decodeHex,
  decodeUtf8,
  encodeBase64,
  encodeHex,
  encodeUtf8,
  latin1,
  readJson,
} from "./encodings.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Key or body that the signer may have used, and the mistake that this would prove. */
export interface Candidate {
  readonly cause: Cause;
  readonly detail: string;
  readonly value: string | Bytes | undefined;
}

const candidate = (cause: Cause, detail: string, value: Candidate["value"]): Candidate => ({
  cause,
  detail,
  value,
});

const prefix = "whsec_";

/** Removes white space, quotes, and line breaks that an env file holds as the two characters `\n`. */
export function unpadded(secret: string): string {
  return secret.replace(/^(?:[\s"'`]|\\[nrt])+|(?:[\s"'`]|\\[nrt])+$/g, "");
}

/** Lists the keys that one mistake with a secret explains. */
export function keyCandidates(secret: string): readonly Candidate[] {
  const rest = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  const bytes = encodeUtf8(secret);
  const wrap = (before: string, after: string) =>
    candidate("secret_padded", "at the signer", `${before}${secret}${after}`);
  return [
    candidate("secret_padded", "", unpadded(secret)),
    candidate("secret_padded", "", secret.trim()),
    candidate("secret_prefix", "missing", `${prefix}${secret}`),
    candidate(
      "secret_prefix",
      rest?.startsWith(prefix) === true ? "twice" : "not used by the signer",
      rest,
    ),
    ...[secret, rest ?? ""].flatMap((text) => [
      candidate("secret_encoded", "decoded from hexadecimal", decodeHex(text)),
      candidate("secret_encoded", "decoded from base64", decodeBase64(text)),
    ]),
    candidate("secret_encoded", "encoded as base64", encodeBase64(bytes)),
    candidate("secret_encoded", "encoded as hexadecimal", encodeHex(bytes)),
    ...secret.split(/[\s,;]+/).map((part) => candidate("secret_list_joined", "", part)),
    ...["\n", "\r\n", " ", "\t"].flatMap((space) => [wrap("", space), wrap(space, "")]),
    ...['"', "'", "`"].map((quote) => wrap(quote, quote)),
  ];
}

/** Lists the bodies that one mistake explains, decompressed to at most `maxBytes`. */
export async function* bodyCandidates(bytes: Bytes, maxBytes: number): AsyncGenerator<Candidate> {
  const text = decodeUtf8(bytes);
  if (text !== undefined) {
    yield* trimmedForms(text);
    yield* encodedForms(text);
    yield* jsonForms(text);
    yield candidate("body_charset", "decoded as latin1", encodeLatin1(text));
    yield candidate("body_charset", "decoded as windows-1252", encodeWindows1252(text));
    yield candidate("body_charset", "signed as UTF-16LE", encodeUtf16(text));
  }
  yield candidate("body_charset", "encoded as latin1", latin1(bytes));
  for (const charset of ["windows-1252", "utf-16le", "utf-16be"]) {
    yield candidate("body_charset", `encoded as ${charset}`, decode(charset, bytes));
  }
  if (isCompressed(bytes)) yield candidate("body_compressed", "", await gunzip(bytes, maxBytes));
}

function* trimmedForms(text: string): Generator<Candidate> {
  const trimmed = text.trimEnd();
  const unix = text.replaceAll("\r\n", "\n");
  yield candidate("body_trimmed", "line break or white space added", trimmed);
  yield candidate("body_trimmed", "line break or white space added", text.trim());
  yield candidate("body_trimmed", "line break removed", `${trimmed}\n`);
  yield candidate("body_trimmed", "line break removed", `${trimmed}\r\n`);
  yield candidate("body_trimmed", "LF converted to CRLF", unix);
  yield candidate("body_trimmed", "CRLF converted to LF", unix.replaceAll("\n", "\r\n"));
  yield candidate("body_trimmed", "byte order mark removed", `\uFEFF${text}`);
}

function* encodedForms(text: string): Generator<Candidate> {
  yield candidate("body_encoded", "base64", decodeBase64(text.trim()));
  const json = readJson(text);
  if (typeof json === "string") yield candidate("body_encoded", "JSON string", json);
  yield candidate("body_encoded", "Buffer as JSON", bytesOfBuffer(json));
  if (json !== undefined || !/[=%+]/.test(text)) return;
  for (const part of new URLSearchParams(text).entries().next().value ?? []) {
    yield candidate("body_encoded", "form or percent-encoded", part);
  }
}

/** Reads the bytes of `{"type":"Buffer","data":[…]}` or of `{"0":…,"1":…}`. */
function bytesOfBuffer(json: unknown): Bytes | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { data } = { data: undefined, ...json };
  const values: readonly unknown[] = Array.isArray(data) ? data : Object.values(json);
  return values.length > 0 && values.every(isByte) ? Uint8Array.from(values) : undefined;
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

const keyOrders: ReadonlyArray<readonly [detail: string, arrange: (json: unknown) => unknown]> = [
  ["", (json) => json],
  ["keys sorted", sortKeys],
];

const layouts: ReadonlyArray<readonly [detail: string, indent: string | number | undefined]> = [
  ["compact", undefined],
  ["spaces after , and :", ""],
  ["indented by 2", 2],
  ["indented by 4", 4],
  ["indented by tabs", "\t"],
];

const nonAscii = /[\u007f-\uffff]/g;
const escapes: ReadonlyArray<readonly [detail: string, rewrite: (text: string) => string]> = [
  ["", (text) => text],
  ["non-ASCII escaped", (text) => text.replace(nonAscii, unicodeEscape)],
  ["slashes escaped", (text) => text.replaceAll("/", "\\/")],
  [
    "non-ASCII and slashes escaped",
    (text) => text.replaceAll("/", "\\/").replace(nonAscii, unicodeEscape),
  ],
  ["<, > and & escaped", (text) => text.replace(/[<>&\u2028\u2029]/g, unicodeEscape)],
];

/** Deeply nested JSON exceeds the call stack. */
const maxBrackets = 2_000;
/** Indentation multiplies the length of deeply nested JSON, so only small bodies are indented. */
const maxIndentedLength = 65_536;
const maxIndentedBrackets = 64;

/** Yields common serializations of the same JSON: by JavaScript, Python, PHP and Go. */
function* jsonForms(text: string): Generator<Candidate> {
  const json = readJson(text);
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  if (typeof json !== "object" || json === null || brackets > maxBrackets) return;
  const canIndent = text.length <= maxIndentedLength && brackets <= maxIndentedBrackets;
  for (const [order, arrange] of keyOrders) {
    const arranged = arrange(json);
    for (const [layout, indent] of layouts) {
      if (indent !== undefined && !canIndent) continue;
      const serialized = serialize(arranged, indent);
      for (const [escape, rewrite] of escapes) {
        const detail = [layout, order, escape].filter((part) => part !== "").join(", ");
        yield candidate("body_rewritten", detail, rewrite(serialized));
      }
    }
  }
}

/** Serializes JSON; with an empty indent on one line with spaces, as Python does. */
function serialize(json: unknown, indent: string | number | undefined): string {
  if (indent !== "") return JSON.stringify(json, null, indent);
  return JSON.stringify(json, null, " ").replace(/,\n */g, ", ").replace(/\n */g, "");
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function sortKeys(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sortKeys);
  if (typeof json !== "object" || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [key, sortKeys(value)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function encodeLatin1(text: string): Bytes | undefined {
  return /^[\0-\xff]*$/.test(text) ? bytesOfLatin1(text) : undefined;
}

function encodeWindows1252(text: string): Bytes | undefined {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const characters = Array.from(new TextDecoder("windows-1252").decode(all));
  const byteOf = new Map(characters.map((character, byte) => [character, byte]));
  const bytes = Array.from(text, (character) => byteOf.get(character) ?? -1);
  return bytes.includes(-1) ? undefined : Uint8Array.from(bytes);
}

function encodeUtf16(text: string): Bytes {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at += 1) view.setUint16(2 * at, text.charCodeAt(at), true);
  return new Uint8Array(view.buffer);
}

/** Decodes bytes; undefined if they are not text in the charset, or the runtime lacks the charset. */
function decode(charset: string, bytes: Bytes): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Tests for the first bytes of gzip (RFC 1952, section 2.3.1). */
export function isCompressed(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

async function gunzip(bytes: Bytes, maxBytes: number): Promise<Bytes | undefined> {
  try {
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const reader = plain.getReader();
    const chunks: Bytes[] = [];
    let length = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > maxBytes) {
        await reader.cancel();
        return undefined;
      }
      chunks.push(read.value);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  } catch {
    return undefined;
  }
}
