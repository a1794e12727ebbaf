import { bytesOfHex } from "../verification/signature.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

export function decodeHex(text: string): Bytes | undefined {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? bytesOfHex(text) : undefined;
}

export function decodeBase64(text: string): Bytes | undefined {
  const plain = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,2}$/, "");
  if (!/^[A-Za-z0-9+/]{2,}$/.test(plain) || plain.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
}

/**
 * Decodes bytes without their byte order mark. Returns undefined if they are not text in the
 * charset, or the runtime lacks the charset.
 */
export function decode(charset: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function encodeUtf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
