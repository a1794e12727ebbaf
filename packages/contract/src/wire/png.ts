import { crc32 } from "./check-sum.ts";

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Size in the header of a PNG. */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
}

/** Reads the header of a PNG. Returns undefined for other bytes. */
export function readPngHeader(bytes: Uint8Array<ArrayBuffer>): PngHeader | undefined {
  if (bytes.length < 33 || !signature.every((byte, index) => bytes[index] === byte)) {
    return undefined;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = signature.length;
  if (typeAt(bytes, first) !== "IHDR" || view.getUint32(first) !== 13) return undefined;
  return { width: view.getUint32(first + 8), height: view.getUint32(first + 12) };
}

/** Reads a whole PNG and returns its header, or the reason why it is invalid. */
export function readPng(bytes: Uint8Array<ArrayBuffer>): PngHeader | string {
  const header = readPngHeader(bytes);
  if (header === undefined) return "it does not start as one";
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let data = 0;
  for (let at = signature.length; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const end = at + 12 + length;
    if (end > bytes.length) break;
    const type = typeAt(bytes, at);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) {
      return `the checksum of its chunk ${type} is wrong`;
    }
    if (type === "IDAT") data += length;
    if (type === "IEND") return data > 0 ? header : "it has no image data";
    at = end;
  }
  return `it ends early, after ${bytes.length} bytes`;
}

function typeAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at + 4, at + 8));
}
