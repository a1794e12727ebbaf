import { deflateSync } from "node:zlib";

/** First bytes of a PNG. */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Effect of each byte on the sum. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xed_b8_83_20 : 0);
  return sum;
});

/** Small PNG files for requests, in base64. */
export const images = {
  person: png(96, 128, [196, 160, 132]).toString("base64"),
  garment: png(96, 96, [40, 84, 160]).toString("base64"),
};

/** Makes a PNG file of one color. */
export function png(
  width: number,
  height: number,
  color: readonly [red: number, green: number, blue: number],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * width, Uint8Array.from(color))]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Makes a chunk of a PNG file. */
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}

/** Checksum of the chunks of a PNG (CRC-32, ISO 3309). Node has one from 20.15 on. */
export function crc32(data: Uint8Array): number {
  let sum = 0xff_ff_ff_ff;
  for (const byte of data) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xff_ff_ff_ff) >>> 0;
}

/** Size in the header of a PNG. */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
}

/** Reads the header of a PNG. Returns undefined for other bytes. */
export function readPngHeader(bytes: Uint8Array): PngHeader | undefined {
  const data = Buffer.from(bytes);
  const isPng = data.length >= 33 && data.subarray(0, 8).equals(signature);
  if (!isPng || data.toString("latin1", 12, 16) !== "IHDR" || data.readUInt32BE(8) !== 13) {
    return undefined;
  }
  return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

/** Reads a whole PNG, and returns the reason why it is invalid. */
export function pngProblem(bytes: Uint8Array): string | undefined {
  if (readPngHeader(bytes) === undefined) return "it does not start as one";
  const data = Buffer.from(bytes);
  let hasData = false;
  for (let at = signature.length; at + 12 <= data.length;) {
    const length = data.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > data.length) break;
    const type = data.toString("latin1", at + 4, at + 8);
    if (crc32(data.subarray(at + 4, end - 4)) !== data.readUInt32BE(end - 4)) {
      return `the checksum of its chunk ${type} is wrong`;
    }
    if (type === "IDAT" && length > 0) hasData = true;
    if (type === "IEND") return hasData ? undefined : "it has no image data";
    at = end;
  }
  return `it ends early, after ${data.length} bytes`;
}
