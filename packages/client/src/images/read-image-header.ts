import type { BlobLike } from "../http/blob-like.ts";

export interface ImageHeader {
  readonly start: string;
  readonly format: "JPEG" | "PNG" | "WebP" | "GIF" | "AVIF" | "HEIC" | undefined;
  /** Width in pixels, before EXIF rotates it. 0 if unknown. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation. 1 is upright, and 0 is unknown or applied by every decoder. */
  readonly orientation: number;
  readonly isAnimated: boolean;
  readonly isCmyk: boolean;
  /** If true, the image proves that its end is missing. */
  readonly isTruncated: boolean;
}

const windowSize = 65_536;
/** Number of bytes that `seek` makes available: more than the fields that are read together. */
const lookahead = 1_024;
/** Maximum number of parts that are read. A file made of tiny parts would take long. */
const maxSteps = 65_536;
/** Maximum number of EXIF entries that are read: as many as the lookahead holds. */
const maxEntries = 80;
const ispe = 0x69_73_70_65;

/**
 * Reads the header of an image, and its end if that shows whether it is complete. Decodes nothing, and has at most one
 * window of the image in memory. Rejects if a read fails.
 */
// The formats are functions in this one, since a page loads fewer bytes of variables than of properties.
export async function readImageHeader(content: BlobLike): Promise<ImageHeader> {
  const { size } = content;
  let windowStart = 0;
  let bytes = new Uint8Array();
  let format: ImageHeader["format"];
  let width = 0;
  let height = 0;
  let orientation = 0;
  let isAnimated = false;
  let isCmyk = false;
  let isTruncated = false;
  let steps = 0;

  /** Makes bytes available. Those outside the window are 0. Returns false after too many steps. */
  async function seek(offset: number, length = lookahead): Promise<boolean> {
    const end = Math.min(offset + length, size);
    if (offset < windowStart || end > windowStart + bytes.length) {
      windowStart = offset;
      bytes = new Uint8Array(await content.slice(offset, offset + windowSize).arrayBuffer());
    }
    return (steps += 1) < maxSteps;
  }

  function little(offset: number, length = 2): number {
    let value = 0;
    while (length > 0) value = value * 256 + (bytes[offset - windowStart + (length -= 1)] ?? 0);
    return value;
  }

  function big(offset: number, length = 2): number {
    let value = 0;
    for (const end = offset + length; offset < end; offset += 1) {
      value = value * 256 + (bytes[offset - windowStart] ?? 0);
    }
    return value;
  }

  function text(offset: number, length = 4): string {
    const start = offset - windowStart;
    return String.fromCharCode(...bytes.subarray(start, start + length));
  }

  async function readJpeg(): Promise<void> {
    format = "JPEG";
    let offset = 2;
    while (offset + 4 <= size) {
      if (!(await seek(offset))) return;
      const marker = big(offset) - 0xff_00;
      const length = big(offset + 2);
      // A marker may have fill bytes before it. Every other one before the scan data has a length.
      if (marker === 0xff) {
        offset += 1;
        continue;
      }
      if (marker < 0xc0 || (marker > 0xcf && marker < 0xda) || length < 2) return;
      // Frames, other than tables, extensions and arithmetic conditioning.
      if (marker === 0xc0 || (marker < 0xd0 && marker % 4 > 0)) {
        height = big(offset + 5);
        width = big(offset + 7);
        isCmyk = big(offset + 9, 1) === 4;
      }
      if (marker === 0xe1) await readExif(offset + 4);
      offset += 2 + length;
      if (marker === 0xda) {
        isTruncated = !(await hasEndMarker(offset));
        return;
      }
    }
    isTruncated = true;
  }

  /** Returns true if the end marker of a JPEG follows an offset. Reads the last bytes first. */
  async function hasEndMarker(from: number): Promise<boolean> {
    for (let end = size; end - from > 1;) {
      const start = Math.max(from, end - windowSize);
      await seek(start, end - start);
      const first = Math.max(0, from - windowStart);
      for (let at = end - windowStart; (at = bytes.lastIndexOf(0xd9, at - 1)) > first;) {
        if (bytes[at - 1] === 0xff) return true;
      }
      // The marker may be in two windows.
      end = start + 1;
    }
    return false;
  }

  async function readPng(): Promise<void> {
    format = "PNG";
    for (let offset = 8; offset + 8 <= size;) {
      if (!(await seek(offset))) return;
      const type = text(offset + 4);
      const data = offset + 8;
      offset = data + big(offset, 4) + 4;
      if (!/^[a-z]{4}$/i.test(type)) return;
      if (type === "IHDR") {
        width = big(data, 4);
        height = big(data + 4, 4);
      }
      if (type === "acTL") isAnimated = true;
      if (type === "eXIf") await readExif(data);
      if (type === "IDAT") {
        // Most files end here. In the others, the lengths of the chunks lead to the end.
        await seek(size - 8);
        if (text(size - 8, 8) === "IEND\xAEB`\x82") return;
      }
      if (type === "IEND" && offset <= size) return;
    }
    isTruncated = true;
  }

  async function readWebp(): Promise<void> {
    format = "WebP";
    const end = 8 + little(4, 4);
    isTruncated = end > size;
    for (let offset = 12; offset < Math.min(end, size) && (await seek(offset));) {
      const type = text(offset);
      const length = little(offset + 4, 4);
      const data = offset + 8;
      if (type === "VP8X") {
        isAnimated = (big(data, 1) & 2) > 0;
        width = little(data + 4, 3) + 1;
        height = little(data + 7, 3) + 1;
      } else if (type === "EXIF") {
        await readExif(data);
      } else if (width === 0 && type === "VP8 ") {
        width = little(data + 6) & 0x3fff;
        height = little(data + 8) & 0x3fff;
      } else if (width === 0 && type === "VP8L") {
        const sides = little(data + 1, 4);
        width = (sides & 0x3fff) + 1;
        height = ((sides >> 14) & 0x3fff) + 1;
      }
      offset = data + length + (length % 2);
    }
  }

  function tableLength(offset: number): number {
    const flags = big(offset, 1);
    return flags > 127 ? 6 << (flags & 7) : 0;
  }

  async function readGif(): Promise<void> {
    format = "GIF";
    width = little(6);
    height = little(8);
    let frames = 0;
    for (let offset = 13 + tableLength(10); offset < size;) {
      await seek(offset);
      const block = big(offset, 1);
      if (block === 0x2c) {
        isAnimated = (frames += 1) > 1;
        offset += 11 + tableLength(offset + 9);
      } else {
        offset += 2;
      }
      if (isAnimated || (block !== 0x2c && block !== 0x21)) return;
      for (let length = 1; length > 0; offset += length + 1) {
        if (!(await seek(offset))) return;
        length = big(offset, 1);
      }
    }
  }

  async function readIsoMedia(): Promise<void> {
    for (let offset = 0; offset + 8 <= size && (await seek(offset));) {
      const type = text(offset + 4);
      let length = big(offset, 4);
      if (length === 1) length = big(offset + 8, 8);
      // 0 is the rest of the file.
      if (length < 8) return;
      if (type === "ftyp") {
        const brands = text(offset + 8, Math.min(length - 8, 256));
        if (/hei[cmsx]|hev[cx]|mif1|msf1/.test(brands)) format = "HEIC";
        if (/avi[fs]/.test(brands)) format = "AVIF";
        isAnimated = /avis|msf1|hev[cx]/.test(brands);
      }
      if (type === "meta") {
        await seek(offset, windowSize);
        for (let at = offset; at < offset + Math.min(length, windowSize); at += 1) {
          // Tiles and thumbnails have such a box, too, and fewer pixels.
          if (big(at, 4) === ispe && big(at + 8, 4) * big(at + 12, 4) > width * height) {
            width = big(at + 8, 4);
            height = big(at + 12, 4);
          }
        }
      }
      offset += length;
      // Data after these boxes may have another structure.
      isTruncated = offset > size && /ftyp|meta|mdat|moov/.test(type);
    }
  }

  async function readExif(offset: number): Promise<void> {
    await seek(offset);
    if (text(offset) === "Exif") offset += 6;
    const order = text(offset);
    if (order !== "II*\0" && order !== "MM\0*") return;
    const number = order === "II*\0" ? little : big;
    const directory = offset + number(offset + 4, 4);
    await seek(directory);
    const count = Math.min(number(directory), maxEntries);
    for (let entry = directory + 2; entry < directory + 2 + count * 12; entry += 12) {
      if (number(entry) === 0x0112) orientation = number(entry + 8);
    }
  }

  await seek(0);
  const start = text(0, 64);
  if (start.startsWith("\xFF\xD8\xFF")) await readJpeg();
  if (start.startsWith("\x89PNG")) await readPng();
  if (/^RIFF.{4}WEBP/s.test(start)) await readWebp();
  if (start.startsWith("GIF8")) await readGif();
  if (/^.{4}ftyp/s.test(start)) await readIsoMedia();
  return { start, format, width, height, orientation, isAnimated, isCmyk, isTruncated };
}
