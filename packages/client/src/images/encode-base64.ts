/** Encoders that some runtimes have. */
interface Native {
  readonly Buffer?: {
    from(
      buffer: ArrayBuffer,
      start: number,
      length: number,
    ): { toString(encoding: "base64"): string };
  };
}

/** Number of bytes that `btoa` encodes at once: a multiple of 3, within the limit of arguments of a call. */
const btoaLength = 8_190;

/** Encodes bytes as base64, in new memory. */
export function encodeBase64(
  bytes: Uint8Array<ArrayBuffer> & { toBase64?(): string },
): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes;
  const { Buffer } = globalThis as Native;
  let text = bytes.toBase64?.() ?? Buffer?.from(buffer, byteOffset, length).toString("base64");
  if (text === undefined) {
    text = "";
    for (let start = 0; start < length; start += btoaLength) {
      text += btoa(String.fromCharCode(...bytes.subarray(start, start + btoaLength)));
    }
  }
  return new TextEncoder().encode(text);
}
