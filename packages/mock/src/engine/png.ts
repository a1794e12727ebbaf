import { zlibSync } from "fflate";

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const headerEnd = 24;

/** An image whose pixels are numbers of colours in a palette. */
export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** One byte a pixel, row by row from the top. */
  readonly pixels: Uint8Array;
  /** Up to 256 colours as 0xRRGGBB. */
  readonly palette: readonly number[];
}

/** Writes an indexed image as a PNG (W3C PNG specification, colour type 3). */
export function encodePng(image: IndexedImage): Uint8Array<ArrayBuffer> {
  const { width, height, pixels, palette } = image;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 3, 0, 0, 0], 8);
  // Every row begins with the number of its filter; 0 is none, which suits flat colours best.
  const rows = new Uint8Array((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const colours = Uint8Array.from(
    palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  return join([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", zlibSync(rows, { level: 1 })),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

/**
 * Reads width and height out of a PNG's header.
 *
 * @throws Error when the bytes do not begin as a PNG does.
 */
export function pngSize(bytes: Uint8Array): { width: number; height: number } {
  const isPng =
    bytes.length >= headerEnd && signature.every((byte, index) => bytes[index] === byte);
  if (!isPng) throw new Error("The engine gave bytes that are no PNG; render has to return one.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function chunk(type: string, data: Uint8Array): Uint8Array {
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

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return bytes;
}
