import type { BlobLike } from "../http/blob-like.ts";

export interface ImageHeader {
  readonly start: string;
  readonly format:
    | "JPEG"
    | "PNG"
    | "WebP"
    | "GIF"
    | "AVIF"
    | "HEIC"
    | "BMP"
    | "JPEG XL"
    | undefined;
  /** Width in pixels, after a crop and before a rotation. 0 if unknown. */
  readonly width: number;
  readonly height: number;
  /** Orientation as EXIF counts it, from `irot` and `imir` in AVIF and HEIC. 1 is upright, and 0 is unknown. */
  readonly orientation: number;
  readonly isAnimated: boolean;
  readonly isCmyk: boolean;
  /** Kind of JPEG that many decoders refuse, such as "an arithmetic-coded JPEG". */
  readonly rareKind: string | undefined;
  /** If true, an AVIF or HEIC has a `clap` box. Some browsers refuse it. */
  readonly isCropped: boolean;
  /** If true, an AVIF or HEIC is made of tiles. Some browsers refuse it. */
  readonly isGrid: boolean;
  /** If true, the image has an ICC profile. */
  readonly hasProfile: boolean;
  /** Color primaries and transfer function of `cICP` or `nclx`, as H.273 numbers them. 0 if unknown. */
  readonly primaries: number;
  readonly transfer: number;
  /** Exponent of a `gAMA` chunk. 0 if unknown, or if another chunk overrides it. */
  readonly gamma: number;
  readonly isWideGamut: boolean;
  readonly isHdr: boolean;
  /** If true, the image proves that its end is missing. */
  readonly isTruncated: boolean;
}

export type ColorWarning = "cmyk" | "wide_gamut" | "hdr";

/** Property of a prepared image with the warnings that its decoder could not remove. Its header does not have them. */
export const keptWarnings = Symbol.for("tryon.keptWarnings");

/** Returns what proves that an image is incomplete, if it may lack this only. */
export function truncation({ format }: ImageHeader): string {
  return format === "JPEG" ? ": the end marker of the JPEG is missing" : "";
}

const windowSize = 65_536;
/** Number of bytes that `seek` makes available: more than the fields that are read together. */
const lookahead = 1_024;
/** Maximum number of parts that are read. A file made of tiny parts would take long. */
const maxSteps = 65_536;
/** Steps that reading a window counts as. A file whose parts lead to and fro would take long. */
const windowSteps = 64;
/** Maximum number of EXIF entries that are read: as many as the lookahead holds. */
const maxEntries = 80;
const eXIf = 0x65_58_49_66;
/** X of the green primary in ICC profiles: 0.385 for sRGB, at most 0.292 for Display P3 and wider ones. */
const minGreenX = 0.34;
/** Orientations by `irot` (0 to 3 quarter turns to the left) and `imir` (none, over the rows, over the columns). */
const orientations = "142857324675";

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
  let rareKind: string | undefined;
  let isCropped = false;
  let isGrid = false;
  let hasProfile = false;
  let isProfileWide = false;
  let primaries = 0;
  let transfer = 0;
  let gamma = 0;
  let isTruncated = false;
  let steps = 0;

  /** Makes bytes available. Those outside the window are 0. Returns false after too many steps. */
  async function seek(offset: number, length = lookahead): Promise<boolean> {
    const end = Math.min(offset + length, size);
    if (offset < windowStart || end > windowStart + bytes.length) {
      windowStart = offset;
      bytes = new Uint8Array(await content.slice(offset, offset + windowSize).arrayBuffer());
      steps += windowSteps;
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
    let hasSegments = false;
    let offset = 2;
    while (offset + 4 <= size) {
      if (!(await seek(offset))) return;
      const marker = big(offset) - 0xff_00;
      // Decoders skip fill bytes and stray bytes before a marker.
      if (marker <= 0 || marker === 0xff) {
        offset += 1;
        continue;
      }
      // Others are restart markers and one without a use.
      const hasLength = marker > 0xd7 || (marker < 0xd0 && marker > 1);
      // Markers that stop decoders, and the end of a file without an image.
      if ((marker > 1 && marker < 0xc0) || marker === 0xd8 || marker === 0xd9) return;
      // Frames, other than tables, extensions and arithmetic conditioning.
      if (marker === 0xc0 || (marker < 0xd0 && marker % 4 > 0)) {
        height = big(offset + 5);
        width = big(offset + 7);
        isCmyk = big(offset + 9, 1) === 4;
        if (height === 0) rareKind = "a JPEG without its height";
        if (big(offset + 4, 1) > 8) rareKind = "a JPEG with more than 8 bits per color";
        if (marker > 0xc2) rareKind = "a lossless or hierarchical JPEG";
        if (marker > 0xc8) rareKind = "an arithmetic-coded JPEG";
      }
      const data = offset + 4;
      if (marker === 0xe1) await readExif(data);
      if (marker === 0xe2 && text(data, 12) === "ICC_PROFILE\0") await readProfile(data + 14);
      await seek(offset);
      const length = hasLength ? big(offset + 2) : 2;
      if (length < 2 && !hasSegments) return;
      hasSegments ||= hasLength;
      offset += hasLength ? 2 + Math.max(2, length) : 2;
      if (marker === 0xda) {
        isTruncated = !(await hasEndMarker(offset));
        return;
      }
    }
    // Without a segment, it is a start marker and zeros, which tests use as a JPEG.
    isTruncated = hasSegments || offset === 2;
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
    let hasColors = false;
    let hasImageData = false;
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
      if (type === "gAMA") gamma = big(data, 4) / 100_000;
      if (type === "cICP") {
        primaries = big(data, 1);
        transfer = big(data + 1, 1);
      }
      if (type === "iCCP") await readCompressedProfile(data, offset - 4);
      if (/cICP|iCCP|sRGB/.test(type)) hasColors = true;
      if (hasColors) gamma = 0;
      if (type === "IDAT" && !hasImageData) {
        hasImageData = true;
        // Most files end here. In the others, the lengths of the chunks lead to the end.
        const tail = Math.max(offset, size - windowSize);
        await seek(tail, size - tail);
        if (text(size - 8, 8) === "IEND\xAEB`\x82") {
          // Some programs write the orientation after the image data.
          let at = size - 8;
          while (at > tail && big(at, 4) !== eXIf) at -= 1;
          await readExif(at + 4);
          return;
        }
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
      } else if (type === "ICCP") {
        await readProfile(data);
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
    for (let offset = 13 + tableLength(10); ;) {
      await seek(offset);
      const block = big(offset, 1);
      if (offset < size && block !== 0x2c && block !== 0x21) return;
      if (block === 0x2c) {
        isAnimated = frames > 0;
        offset += 11 + tableLength(offset + 9);
      } else {
        offset += 2;
      }
      if (isAnimated) return;
      for (let length = 1; length > 0; offset += length + 1) {
        if (offset >= size) {
          isTruncated = frames === 0;
          return;
        }
        if (!(await seek(offset))) return;
        length = big(offset, 1);
      }
      if (block === 0x2c) frames += 1;
    }
  }

  async function readIsoMedia(): Promise<void> {
    for (let offset = 0; offset + 8 <= size && (await seek(offset));) {
      const type = text(offset + 4);
      let length = big(offset, 4);
      if (length === 1) length = big(offset + 8, 8);
      // 0 is the rest of the file.
      if (length === 0) length = size - offset;
      if (length < 8) return;
      if (type === "ftyp") {
        const brands = text(offset + 8, Math.min(length - 8, 256));
        if (/hei[cmsx]|hev[cx]|mif1|msf1/.test(brands)) format = "HEIC";
        if (/avi[fs]/.test(brands)) format = "AVIF";
        isAnimated = /avis|msf1|hev[cx]/.test(brands);
      }
      if (type === "JXL ") format = "JPEG XL";
      if (/jxl[cp]/.test(type) && width === 0) readJpegXl(offset + (type === "jxlc" ? 8 : 12));
      const end = offset + length;
      if (type === "meta") await readMeta(offset + 12, end);
      offset = end;
      // Data after these boxes may have another structure.
      isTruncated ||= offset > size && /ftyp|meta|mdat|moov|jxl[cp]/.test(type);
    }
  }

  /** Calls a function with the type, the content and the end of each box. */
  function boxes(at: number, last: number, read: (...box: [string, number, number]) => void) {
    for (let length; at + 8 <= last; at += length) {
      length = Math.max(8, big(at, 4));
      read(text(at + 4), at + 8, Math.min(at + length, last));
    }
  }

  /** Reads the boxes of a `meta` box, in one window. */
  async function readMeta(from: number, to: number): Promise<void> {
    await seek(from, windowSize);
    const end = Math.min(to, from + windowSize);
    const properties: [string, number][] = [];
    const used: number[] = [];
    let primary = 0;
    boxes(from, end, (type, at) => {
      if (type === "pitm") primary = big(at + 4, big(at, 1) > 0 ? 4 : 2);
    });
    boxes(from, end, (type, at, last) => {
      const version = big(at, 1);
      if (type === "iinf") {
        boxes(at + (version > 0 ? 8 : 6), last, (_infe, item) => {
          const length = big(item, 1) > 2 ? 4 : 2;
          if (big(item + 4, length) === primary) isGrid = text(item + 6 + length) === "grid";
        });
      }
      if (type === "iloc") readLocations(at, version, last);
      if (type !== "iprp") return;
      boxes(at, last, (part, start, partEnd) => {
        if (part === "ipco") boxes(start, partEnd, (name, data) => properties.push([name, data]));
        if (part !== "ipma") return;
        const idLength = big(start, 1) > 0 ? 4 : 2;
        const length = 1 + (big(start + 3, 1) & 1);
        let entry = start + 8;
        for (let left = big(start + 4, 4); left > 0 && entry < partEnd; left -= 1) {
          const isPrimary = big(entry, idLength) === primary;
          entry += idLength;
          for (let count = big(entry, 1), next = entry + 1; count > 0; count -= 1) {
            if (isPrimary) used.push(big(next, length) & (length > 1 ? 0x7fff : 0x7f));
            next += length;
          }
          entry += 1 + big(entry, 1) * length;
        }
      });
    });
    let turns = 0;
    let mirror = 0;
    let profile = 0;
    for (const index of used) {
      const [name, data = 0] = properties[index - 1] ?? [];
      if (name === "ispe") {
        width = big(data + 4, 4);
        height = big(data + 8, 4);
      }
      if (name === "clap") {
        isCropped = true;
        width = Math.round(big(data, 4) / big(data + 4, 4)) || 0;
        height = Math.round(big(data + 8, 4) / big(data + 12, 4)) || 0;
      }
      if (name === "irot") turns = big(data, 1) & 3;
      if (name === "imir") mirror = 1 + (big(data, 1) & 1);
      if (name === "colr" && text(data) === "nclx") {
        primaries = big(data + 4);
        transfer = big(data + 6);
      } else if (name === "colr") profile = data + 4;
    }
    orientation = Number(orientations[turns * 3 + mirror]);
    if (profile > 0) await readProfile(profile);
  }

  /** Reads where the data of each item is, which proves that it is missing. */
  function readLocations(at: number, version: number, last: number): void {
    const [offsetLength, lengthLength] = [big(at + 4, 1) >> 4, big(at + 4, 1) & 15];
    const [baseLength, indexLength] = [big(at + 5, 1) >> 4, version > 0 ? big(at + 5, 1) & 15 : 0];
    const idLength = version > 1 ? 4 : 2;
    const extentLength = indexLength + offsetLength + lengthLength;
    let item = at + 6 + idLength;
    for (let left = big(at + 6, idLength); left > 0 && item < last; left -= 1) {
      item += idLength;
      // Others are in a box of the header, or made of other items.
      const isInFile = version === 0 || (big(item) & 15) === 0;
      if (version > 0) item += 2;
      const base = big(item + 2, baseLength);
      item += 2 + baseLength;
      for (let extents = big(item), next = item + 2; ; extents -= 1) {
        item = next;
        if (extents <= 0 || item >= last || extentLength === 0) break;
        next = item + extentLength;
        const start = base + big(item + indexLength, offsetLength);
        if (isInFile && start + big(next - lengthLength, lengthLength) > size) isTruncated = true;
      }
    }
  }

  function readJpegXl(at: number): void {
    format = "JPEG XL";
    let bit = 16;
    /** Reads bits, the lowest of each byte first. */
    function bits(length: number): number {
      let value = 0;
      for (let place = 0; place < length; place += 1, bit += 1) {
        value += ((big(at + (bit >> 3), 1) >> (bit & 7)) & 1) * 2 ** place;
      }
      return value;
    }
    const isSmall = bits(1) > 0;
    const side = () => (isSmall ? bits(5) * 8 + 8 : bits([9, 13, 18, 30][bits(2)] ?? 0) + 1);
    height = side();
    const ratio = [0, 1, 1.2, 4 / 3, 1.5, 16 / 9, 1.25, 2][bits(3)] ?? 0;
    width = ratio > 0 ? Math.floor(height * ratio + 1e-6) : side();
    // An image with all defaults, or without extra fields, is upright.
    orientation = bits(1) === 0 && bits(1) > 0 ? bits(3) + 1 : 1;
  }

  function readBmp(): void {
    format = "BMP";
    const isOld = little(14, 4) < 16;
    width = little(18, isOld ? 2 : 4);
    // Rows from top to bottom have a negative height.
    height = isOld ? little(20) : Math.abs(little(22, 4) | 0);
    const rowLength = Math.ceil((width * little(isOld ? 24 : 28)) / 32) * 4;
    const compression = isOld ? 0 : little(30, 4);
    const length = compression % 3 === 0 ? rowLength * height : little(34, 4);
    isTruncated = little(10, 4) + length > size;
  }

  async function readProfile(offset: number): Promise<void> {
    hasProfile = true;
    await seek(offset);
    const count = Math.min(big(offset + 128, 4), maxEntries);
    for (let tag = offset + 132; tag < offset + 132 + count * 12; tag += 12) {
      await seek(tag);
      const name = text(tag);
      const data = offset + big(tag + 4, 4);
      if (name !== "gXYZ" && name !== "cicp") continue;
      await seek(data);
      if (text(data) === "XYZ ") isProfileWide = big(data + 8, 4) / 65_536 < minGreenX;
      if (text(data) === "cicp") {
        primaries = big(data + 8, 1);
        transfer = big(data + 9, 1);
      }
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
      // Most programs write two bytes, and others four.
      const value = number(entry + 8, number(entry + 2) === 4 ? 4 : 2);
      if (number(entry) === 0x0112 && value < 9) orientation ||= value;
    }
  }

  async function readCompressedProfile(from: number, to: number): Promise<void> {
    await seek(from, windowSize);
    // After a name and the number of the method.
    const start = bytes.indexOf(0, from - windowStart) + 2;
    try {
      const stream = new Blob([bytes.subarray(start, to - windowStart)]).stream();
      const inflated = stream.pipeThrough(new DecompressionStream("deflate")).getReader();
      // The first part has the table of the profile, and an attack would have many.
      const { value } = await inflated.read();
      // Takes the place of the window.
      bytes = new Uint8Array(windowSize);
      bytes.set(value?.subarray(0, windowSize) ?? []);
      windowStart = from;
      await readProfile(from);
    } catch {
      // Not a profile, or a runtime without decompression.
    }
    hasProfile = true;
    bytes = new Uint8Array();
  }

  await seek(0);
  const start = text(0, 64);
  if (start.startsWith("\xFF\xD8")) await readJpeg();
  if (start.startsWith("\x89PNG")) await readPng();
  if (/^RIFF.{4}WEBP/s.test(start)) await readWebp();
  if (start.startsWith("GIF8")) await readGif();
  if (/^.{4}(ftyp|JXL )/s.test(start)) await readIsoMedia();
  if (start.startsWith("\xFF\n")) readJpegXl(0);
  if (/^BM.{4}\0{4}.{4}[\f(4@l|]\0{3}/s.test(start)) readBmp();
  return {
    start,
    format,
    width,
    height,
    orientation,
    isAnimated,
    isCmyk,
    rareKind,
    isCropped,
    isGrid,
    hasProfile,
    primaries,
    transfer,
    gamma,
    // The numbers above 8 are XYZ, BT.2020, and both kinds of P3. PQ has 16, and HLG has 18.
    isWideGamut: isProfileWide || primaries > 8,
    isHdr: transfer === 16 || transfer === 18,
    isTruncated,
  };
}
