/** The bytes of text in hexadecimal, or nothing where it is not. */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function encodeHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** The bytes of text in base64 of either alphabet, padded or not, or nothing where it is not. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const plain = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,2}$/, "");
  if (!/^[A-Za-z0-9+/]{2,}$/.test(plain) || plain.length % 4 === 1) return undefined;
  return bytesOfLatin1(atob(plain));
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(latin1(bytes));
}

/** One character for each byte, with the same number. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}

/** One byte for each character; none may have a number above 255. */
export function bytesOfLatin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The text of bytes in UTF-8, its byte order mark kept, or nothing where they are none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** What JSON says, or nothing where it is none: no JSON says `undefined`. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
