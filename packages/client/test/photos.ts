import { pngChunk } from "@tryon/shared/png";
import sharp, { type Sharp, type SharpInput } from "sharp";

const sides = { width: 640, height: 520 };

/** Creates a photo without equal areas, so that every part of its file matters. */
export function createPhoto(): Sharp {
  const pixels = Buffer.alloc(sides.width * sides.height * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 7) ^ (at >> 9) ^ (at >> 4);
  return sharp(pixels, { raw: { ...sides, channels: 3 } }).blur(4);
}

export function flat(given: { readonly width: number; readonly height: number }): Sharp {
  return sharp({ create: { ...given, channels: 3, background: "#808080" } });
}

export function animation(): Sharp {
  const frames = ["#f00", "#00f"].map((background) => ({
    create: { ...sides, channels: 3 as const, background },
  }));
  // Its types lack the frames that `create` describes.
  return sharp(frames as unknown as SharpInput[], { join: { animated: true } });
}

export function segment(marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** Inserts segments after the start marker of a JPEG. */
export function withSegments(jpeg: Buffer, ...segments: readonly Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

/** Creates EXIF data with an orientation, a location, and a thumbnail that is a whole JPEG. */
export function exif(
  orientation: number,
  { thumbnail = Buffer.alloc(0), byteOrder = "II" } = {},
): Buffer {
  const data = Buffer.alloc(100);
  const isLittleEndian = byteOrder === "II";
  const short = (value: number, at: number) =>
    isLittleEndian ? data.writeUInt16LE(value, at) : data.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittleEndian ? data.writeUInt32LE(value, at) : data.writeUInt32BE(value, at);
  const entry = (at: number, tag: number, type: number, count: number): number => {
    short(tag, at);
    short(type, at + 2);
    long(count, at + 4);
    return at + 8;
  };
  data.write(byteOrder, 0, "latin1");
  short(42, 2);
  long(8, 4);
  short(2, 8);
  short(orientation, entry(10, 0x0112, 3, 1));
  long(40, entry(22, 0x8825, 4, 1));
  // The directory of the location: its reference and three rational numbers.
  short(2, 40);
  data.write("N", entry(42, 1, 2, 2), "latin1");
  long(70, entry(54, 2, 5, 3));
  for (const [index, part] of [48, 1, 51, 1, 24, 1].entries()) long(part, 70 + index * 4);
  return Buffer.concat([Buffer.from("Exif\0\0", "latin1"), data, thumbnail]);
}

/** Colors of the quarters of `quarters`: the upper left, the upper right, the lower left and the lower right one. */
export const quarterColors = [
  [220, 40, 40],
  [40, 200, 40],
  [40, 40, 220],
  [240, 240, 60],
] as const;

/** Sides of `quarters` when it is upright. */
export const quarterSides = { width: 640, height: 560 };

/**
 * Creates a JPEG of four colors that is upright as its EXIF orientation says. EXIF defines the side of the photo where
 * the first row and the first column of the pixels are.
 */
export async function quarters(orientation: number): Promise<Buffer> {
  const isTurned = orientation > 4;
  const isLowerRow = [3, 4, 7, 8].includes(orientation);
  const isRightColumn = [2, 3, 6, 7].includes(orientation);
  const { width, height } = quarterSides;
  const [columns, rows] = isTurned ? [height, width] : [width, height];
  const pixels = Buffer.alloc(columns * rows * 3);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const second = [row >= rows / 2, column >= columns / 2] as const;
      const [lower, right] = isTurned ? [second[1], second[0]] : second;
      const quarter = (lower === isLowerRow ? 0 : 2) + (right === isRightColumn ? 0 : 1);
      pixels.set(quarterColors[quarter] ?? [], (row * columns + column) * 3);
    }
  }
  const raw = { width: columns, height: rows, channels: 3 as const };
  const photo = await sharp(pixels, { raw }).jpeg({ quality: 95 }).toBuffer();
  return withSegments(photo, segment(0xe1, exif(orientation)));
}

/** Creates a JPEG with a restart marker after every 64 blocks. */
async function withRestartMarkers(): Promise<Buffer> {
  // The scan of a gray image repeats the code of an empty block, which has 6 bits in the default tables: 00 1010.
  const jpeg = await flat({ width: 640, height: 512 })
    .toColourspace("b-w")
    .jpeg({ optimiseCoding: false })
    .toBuffer();
  const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  const start = scan + 2 + jpeg.readUInt16BE(scan + 2);
  const blocks = Buffer.from("28a28a".repeat(16), "hex");
  const scans = Array.from({ length: 80 }, (_unused, index) =>
    index === 79 ? [blocks] : [blocks, Buffer.from([0xff, 0xd0 + (index % 8)])],
  );
  const interval = segment(0xdd, Buffer.from([0, 64]));
  const header = [jpeg.subarray(0, scan), interval, jpeg.subarray(scan, start)];
  return Buffer.concat([...header, ...scans.flat(), Buffer.from([0xff, 0xd9])]);
}

/** Inserts chunks before the image data of a PNG. */
export function withChunks(png: Buffer, chunks: Readonly<Record<string, Uint8Array>>): Buffer {
  const added = Object.entries(chunks).map(([type, content]) => pngChunk(type, content));
  return Buffer.concat([png.subarray(0, 33), ...added, png.subarray(33)]);
}

/** Splits the image data of a PNG into chunks of 8 kB, as many encoders do. */
function withManyChunks(png: Buffer): Buffer {
  const parts: Buffer[] = [png.subarray(0, 8)];
  const data: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, end - 4));
    else parts.push(png.subarray(at, end));
    at = end;
  }
  const all = Buffer.concat(data);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += 8_192) {
    chunks.push(pngChunk("IDAT", all.subarray(at, at + 8_192)));
  }
  return Buffer.concat([...parts.slice(0, -1), ...chunks, ...parts.slice(-1)]);
}

/** Replaces the brands of an AVIF, whose container is that of HEIC. */
export function withBrand(avif: Buffer, brand: string): Buffer {
  const copy = Buffer.from(avif);
  for (let at = 8; at < copy.readUInt32BE(0); at += 4)
    if (at !== 12) copy.write(brand, at, "latin1");
  return copy;
}

/** Returns what a function returns, and calls it once. */
function once<Result>(create: () => Result): () => Result {
  let created: { readonly result: Result } | undefined;
  return () => (created ??= { result: create() }).result;
}

const jpeg = once(() => createPhoto().jpeg().toBuffer());
const png = once(() => createPhoto().png({ palette: true, colours: 32, dither: 0 }).toBuffer());
const avif = once(() => createPhoto().avif({ effort: 0 }).toBuffer());

/** Files of each format, created once. All have a short side of at least 512 pixels, and are upright. */
export const photos = {
  "baseline JPEG": jpeg,
  "progressive JPEG": once(() => createPhoto().jpeg({ progressive: true }).toBuffer()),
  "JPEG with restart markers": once(withRestartMarkers),
  "JPEG with a thumbnail": once(async () => {
    const thumbnail = await flat({ width: 160, height: 120 }).jpeg().toBuffer();
    const header = segment(0xe1, exif(1, { thumbnail }));
    return withSegments(await jpeg(), header);
  }),
  "JPEG with a large header": once(async () => {
    const profiles = Array.from({ length: 3 }, () => segment(0xe2, Buffer.alloc(65_000)));
    const photo = withSegments(await jpeg(), ...profiles);
    // Fill bytes before a marker.
    return Buffer.concat([photo.subarray(0, 2), Buffer.alloc(9, 0xff), photo.subarray(2)]);
  }),
  PNG: png,
  "PNG with many chunks": once(async () => withManyChunks(await png())),
  "lossy WebP": once(() => createPhoto().webp().toBuffer()),
  "lossless WebP": once(() => createPhoto().webp({ lossless: true, effort: 0 }).toBuffer()),
  "WebP with metadata": () =>
    createPhoto()
      .withExif({ IFD0: { Software: "app" } })
      .webp()
      .toBuffer(),
  GIF: once(() => createPhoto().gif({ colours: 16, dither: 0 }).toBuffer()),
  AVIF: avif,
  HEIC: once(async () => withBrand(await avif(), "heic")),
} as const satisfies Readonly<Record<string, () => Promise<Buffer>>>;

/** Data that cameras and programs write after the end of an image. */
export const trailers = {
  "zero padding": () => Buffer.alloc(150_000),
  "padding with 0xFF": () => Buffer.alloc(5_000, 0xff),
  "one byte": () => Buffer.of(0),
  "the video of a motion photo": () => {
    const video = Buffer.alloc(150_000, "video");
    video.writeUInt32BE(24, 0);
    video.write("ftypmp42", 4, "latin1");
    video.writeUInt32BE(video.length - 24, 24);
    video.write("mdat", 28, "latin1");
    return video;
  },
  "a second image, as in MPF": () => flat({ width: 700, height: 600 }).jpeg().toBuffer(),
  "the table of a camera": () => Buffer.from("SEFHk\0\0\0\u0001\0\0\0\0\0\u0030\nSEFT", "latin1"),
} as const satisfies Readonly<Record<string, () => Buffer | Promise<Buffer>>>;
