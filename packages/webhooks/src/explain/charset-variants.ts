import { bytesOfLatin1, encodeUtf8, latin1 } from "./encodings.ts";

/** A body in another charset, and which. */
export interface CharsetVariant {
  readonly detail: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The bodies of which a wrong charset makes the one given: UTF-8 that was read as something else and
 * written as UTF-8, or read rightly and written as something else.
 *
 * @param text - What the bytes say in UTF-8, if they do.
 */
export function charsetVariants(
  bytes: Uint8Array,
  text: string | undefined,
): readonly CharsetVariant[] {
  const variants: CharsetVariant[] = [];
  const add = (detail: string, made: Uint8Array<ArrayBuffer> | undefined): void => {
    if (made !== undefined && !sameBytes(made, bytes)) variants.push({ detail, bytes: made });
  };
  if (text !== undefined) {
    add("read as latin1", inLatin1(text));
    add("read as windows-1252", inWindows1252(text));
    add("signed as UTF-16LE", inUtf16(text));
  }
  add("written as latin1", encodeUtf8(latin1(bytes)));
  add("written as windows-1252", decoded("windows-1252", bytes));
  add("written as UTF-16LE", decoded("utf-16le", bytes));
  add("written as UTF-16BE", decoded("utf-16be", bytes));
  return variants;
}

function inLatin1(text: string): Uint8Array<ArrayBuffer> | undefined {
  return /^[\0-\xff]*$/.test(text) ? bytesOfLatin1(text) : undefined;
}

function inWindows1252(text: string): Uint8Array<ArrayBuffer> | undefined {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const characters = Array.from(new TextDecoder("windows-1252").decode(all));
  const byteOf = new Map(characters.map((character, byte) => [character, byte]));
  const bytes = Array.from(text, (character) => byteOf.get(character) ?? -1);
  return bytes.includes(-1) ? undefined : Uint8Array.from(bytes);
}

function inUtf16(text: string): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at += 1) view.setUint16(2 * at, text.charCodeAt(at), true);
  return new Uint8Array(view.buffer);
}

function decoded(charset: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    return encodeUtf8(decoder.decode(bytes));
  } catch {
    // Not text in this charset, or a runtime that does not know it.
    return undefined;
  }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
