/**
 * Body in memory: bytes of any type, or text. Text is encoded as UTF-8. It must have been decoded
 * from valid UTF-8, because decoding invalid UTF-8 loses bytes.
 */
export type RawBody = ArrayBuffer | ArrayBufferView | string;

/** Returns a view of bytes, or the bytes of text. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  return typeof value === "string" ? new TextEncoder().encode(value) : viewOf(value);
}

/** Returns a view of bytes, or `undefined` for text and other values. */
export function viewOf(value: unknown): Uint8Array | undefined {
  try {
    // A DataView accepts only a buffer, also one from another realm, for which `instanceof` fails.
    const view = ArrayBuffer.isView(value) ? value : new DataView(value as ArrayBuffer);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  } catch {
    // The value has no buffer.
  }
  return undefined;
}
