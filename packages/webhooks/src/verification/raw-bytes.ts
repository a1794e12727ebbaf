/**
 * A body that is in memory: bytes in any of their types, or text. Text is encoded as UTF-8, and is
 * right only if it was decoded from valid UTF-8: where it was not, bytes have been lost already.
 */
export type RawBody = ArrayBuffer | ArrayBufferView | string;

/** The bytes of anything that holds bytes or text, not copied where they are bytes already. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  return typeof value === "string" ? new TextEncoder().encode(value) : viewOf(value);
}

/** The bytes of anything that holds bytes, and nothing for text. */
export function viewOf(value: unknown): Uint8Array | undefined {
  try {
    // A DataView is made of a buffer and of nothing else, where `instanceof` fails for a buffer
    // from another realm, as tests often have.
    const view = ArrayBuffer.isView(value) ? value : new DataView(value as ArrayBuffer);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  } catch {
    // Only bytes have a buffer.
  }
  return undefined;
}
