import { deflateSync } from "node:zlib";

import { crc32 } from "./wire/check-sum.ts";

/** Small PNG files for requests, in base64. */
export interface Images {
  readonly person: string;
  readonly garment: string;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const images: Images = {
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
export function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}
