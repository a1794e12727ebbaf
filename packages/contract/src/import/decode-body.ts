import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

import { maxBodyMebibytes, type Field } from "./imported.ts";

const limits = { maxOutputLength: maxBodyMebibytes * 2 ** 20 };

const decoders = {
  gzip: (bytes: Uint8Array) => gunzipSync(bytes, limits),
  "x-gzip": (bytes: Uint8Array) => gunzipSync(bytes, limits),
  deflate: (bytes: Uint8Array) => inflateSync(bytes, limits),
  br: (bytes: Uint8Array) => brotliDecompressSync(bytes, limits),
} as const;

/**
 * Decompresses a body as its `Content-Encoding` says.
 *
 * @throws UsageError with the field, for another encoding, other bytes, or a body over the limit.
 */
export function decodeBody(bytes: Uint8Array, encoding: string | undefined, field: Field) {
  let decoded = bytes;
  const names = (encoding ?? "").toLowerCase().split(",");
  for (const name of names.map((one) => one.trim()).toReversed()) {
    if (name === "" || name === "identity") continue;
    if (!(name in decoders)) {
      field.fail("has a Content-Encoding other than gzip, deflate and br");
    }
    try {
      // Checked above.
      decoded = decoders[name as keyof typeof decoders](decoded);
    } catch {
      field.fail(
        `cannot be decompressed, or is larger than ${maxBodyMebibytes} MiB after decompression`,
      );
    }
  }
  return decoded;
}

/** @throws UsageError with the field, for a text that is not in hex. */
export function fromHex(field: Field): Buffer {
  const text = field.text();
  if (!/^(?:[\da-f]{2})*$/i.test(text)) field.fail("must be in hex");
  return Buffer.from(text, "hex");
}

/** @throws UsageError with the field, for a text that is not in base64. */
export function fromBase64(field: Field): Buffer {
  const text = field.text();
  if (!/^[\w+/-]*={0,2}$/.test(text)) field.fail("must be in base64");
  return Buffer.from(text, "base64");
}
