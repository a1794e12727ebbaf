import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const headerEnd = 24;
/** Types of the first and the last chunk. */
const [ihdr, iend] = [0x49484452, 0x49454e44];

/** Image with 4-bit palette indexes. */
export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** IDAT chunk, which {@link chunk} creates from compressed rows. */
  readonly data: Uint8Array;
  /** Up to 16 colors as 0xRRGGBB. */
  readonly palette: readonly number[];
  /** Comment in ASCII, for the tEXt chunk. */
  readonly comment: string;
}

/** Encodes a PNG (W3C PNG specification, color type 3). */
export function encodePng(image: IndexedImage): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, image.width);
  view.setUint32(4, image.height);
  header.set([4, 3, 0, 0, 0], 8);
  const palette = image.palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]);
  return concatBytes(
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Uint8Array.from(palette)),
    chunk("tEXt", utf8ToBytes(`Comment\0${image.comment}`)),
    image.data,
    chunk("IEND", new Uint8Array(0)),
  );
}

/**
 * Returns the size of a PNG, or undefined for anything but a whole one: the signature, IHDR, and chunks up to IEND. Bytes
 * after that are allowed.
 */
export function pngSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  if (!ArrayBuffer.isView(bytes) || bytes.length < headerEnd) return undefined;
  if (signature.some((byte, index) => bytes[index] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(12) !== ihdr) return undefined;
  // A chunk has its length, its type, its data and a checksum.
  for (let at = signature.length; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) !== iend) continue;
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  return undefined;
}

export function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let index = 0; index < 4; index += 1) bytes[4 + index] = type.charCodeAt(index);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

const crcTable = Uint32Array.from({ length: 256 }, (_unused, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 255] ?? 0);
  return ~crc >>> 0;
}
