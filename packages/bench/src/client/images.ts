import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

/** The size of each image in bytes: about the most that the service takes. */
const imageSize = 10 * 2 ** 20;
const images = ["person", "shirt", "trousers", "shoes"] as const;
/** What all images of an upload have together, in bytes. */
export const allImages = images.length * imageSize;

const [width, height] = [768, 1_024];

/** Writes the images of an upload into a folder, and gives their paths. */
export async function writeImages(folder: string): Promise<readonly string[]> {
  const paths = images.map((name) => join(folder, `${name}.png`));
  await Promise.all(paths.map((path) => writeFile(path, noise(imageSize))));
  return paths;
}

/** A PNG of exactly `size` bytes, most of which are noise that no viewer shows. */
export function noise(size: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  // Each line of a grey picture begins with the number of its filter.
  const picture = chunk("IDAT", deflateSync(Buffer.alloc((width + 1) * height)));
  const around = [
    Buffer.from("\u0089PNG\r\n\u001A\n", "latin1"),
    chunk("IHDR", head),
    picture,
    chunk("IEND", Buffer.alloc(0)),
  ] as const;
  const frame = chunk("noIs", Buffer.alloc(0)).length;
  const left = around.reduce((rest, part) => rest - part.length, size - frame);
  const [signature, header, ...rest] = around;
  return Buffer.concat([signature, header, chunk("noIs", randomBytes(left)), ...rest]);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

/** By what two images are told apart. */
export function digestOf(image: Uint8Array): string {
  return createHash("sha256").update(image).digest("hex");
}
