import { RunDeflate } from "./run-deflate.ts";

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
  const { width, height, palette } = image;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Uint8Array.from(
    palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  return join([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateRows(image)),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

/** The filter of a row that says of each byte by how much it differs from the one above. */
const differences = 2;

/** The pixels as PNG packs them: flat colours differ from the row above at few places. */
function deflateRows({ width, height, pixels }: IndexedImage): Uint8Array {
  const stream = new RunDeflate((width + 1) * height);
  // Above the first row there are zeros.
  const rows = new Uint8Array(width * (height + 1));
  rows.set(pixels, width);
  // Four pixels at a time are looked at, where rows are made of fours.
  const step = width % 4 === 0 ? 4 : 1;
  const groups = step === 4 ? new Uint32Array(rows.buffer) : rows;
  const groupsPerRow = width / step;
  for (let row = 1; row <= height; row += 1) {
    stream.add(differences, 1);
    const end = (row + 1) * groupsPerRow;
    for (let group = row * groupsPerRow; group < end;) {
      const from = group;
      while (group < end && groups[group] === groups[group - groupsPerRow]) group += 1;
      if (group > from) stream.add(0, (group - from) * step);
      if (group === end) break;
      for (let index = group * step; index < (group + 1) * step; index += 1) {
        stream.add(((rows[index] ?? 0) - (rows[index - width] ?? 0)) & 255, 1);
      }
      group += 1;
    }
  }
  return stream.end();
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
  // Counting is several times as fast as iterating as long as no compiler has seen this.
  for (let index = 0; index < bytes.length; index += 1) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ (bytes[index] ?? 0)) & 255] ?? 0);
  }
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
