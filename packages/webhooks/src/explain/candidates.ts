import { readBody } from "../verification/body.ts";
import type { Cause } from "./causes.ts";
import { decode, decodeBase64, decodeHex, encodeUtf8, readJson, type Bytes } from "./encodings.ts";

/** Key or body that the signer may have used, and the mistake that this would prove. */
export interface Candidate {
  readonly cause: Cause;
  readonly detail: string;
  readonly value: Bytes | undefined;
}

function candidate(cause: Cause, detail: string, value: string | Bytes | undefined): Candidate {
  return { cause, detail, value: typeof value === "string" ? encodeUtf8(value) : value };
}

const prefix = "whsec_";

/** Removes white space, quotes, and line breaks that an env file holds as the two characters `\n`. */
export function unpadded(secret: string): string {
  return secret.replace(/^(?:[\s"'`]|\\[nrt])+|(?:[\s"'`]|\\[nrt])+$/g, "");
}

export function keyCandidates(secret: string): readonly Candidate[] {
  const rest = secret.startsWith(prefix) ? secret.slice(prefix.length) : "";
  const excess = rest.startsWith(prefix) ? "twice" : "not used by the signer";
  return [
    candidate("secret_padded", "", unpadded(secret)),
    candidate("secret_padded", "", secret.trim()),
    candidate("secret_padded", "line break at the signer", `${secret}\n`),
    candidate("secret_prefix", "missing", `${prefix}${secret}`),
    candidate("secret_prefix", excess, rest),
    ...[secret, rest].flatMap((text) => [
      candidate("secret_encoded", "decoded from hexadecimal", decodeHex(text)),
      candidate("secret_encoded", "decoded from base64", decodeBase64(text)),
    ]),
    ...secret.split(/[\s,;]+/).map((part) => candidate("secret_list_joined", "", part)),
  ];
}

/** Lists the bodies that one mistake explains, decompressed to at most `maxBytes`. */
export async function* bodyCandidates(bytes: Bytes, maxBytes: number): AsyncGenerator<Candidate> {
  const text = decode("utf-8", bytes);
  if (text !== undefined) {
    yield* trimmedForms(text);
    yield* encodedForms(text);
    yield* jsonForms(text);
  }
  yield candidate("body_charset", "encoded as UTF-16", decode("utf-16le", bytes));
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

function bytesOfBuffer(json: unknown): Bytes | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const values: unknown[] =
    "data" in json && Array.isArray(json.data) ? json.data : Object.values(json);
  return values.every((value) => typeof value === "number") ? Uint8Array.from(values) : undefined;
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
  ["<, > and & escaped", (text) => text.replace(/[<>&\u2028\u2029]/g, unicodeEscape)],
];

/** An event is much smaller. Indentation multiplies the length of nested JSON. */
const maxRewrittenLength = 65_536;
const maxRewrittenBrackets = 64;

function* jsonForms(text: string): Generator<Candidate> {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  if (text.length > maxRewrittenLength || brackets > maxRewrittenBrackets) return;
  const json = readJson(text);
  if (typeof json !== "object" || json === null) return;
  for (const [order, arrange] of keyOrders) {
    const arranged = arrange(json);
    for (const [layout, indent] of layouts) {
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

export function isCompressed(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function gunzip(bytes: Bytes, maxBytes: number): Promise<Bytes | undefined> {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return readBody(new Response(plain), maxBytes).catch(() => undefined);
}
