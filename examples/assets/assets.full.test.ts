import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copies, drawAll, images, smallCopy } from "./images.ts";

const committed = import.meta.dirname;
let redrawn = "";

beforeAll(async () => {
  redrawn = await mkdtemp(join(tmpdir(), "tryon-assets-"));
  await drawAll(redrawn);
}, 60_000);

afterAll(async () => {
  await rm(redrawn, { recursive: true, force: true });
});

describe.each(images)("$file", (image) => {
  const path = join(committed, image.file);

  test("has the format of its extension", async () => {
    expect(formatOf(await readFile(path))).toBe(image.format);
  });

  test("has its size in pixels, and few bytes", async () => {
    const { width, height } = await sharp(path).metadata();
    expect({ width, height }).toEqual({ width: image.width, height: image.height });
    const { byteLength } = await readFile(path);
    expect(byteLength).toBeLessThan(image.transparent ? 150_000 : 200_000);
  });

  test("is transparent around a garment, and nowhere else", async () => {
    const { data, info } = await pixels(path);
    const alphaAt = (x: number, y: number) => data[(y * info.width + x) * 4 + 3];
    const corners = [
      alphaAt(0, 0),
      alphaAt(info.width - 1, 0),
      alphaAt(0, info.height - 1),
      alphaAt(info.width - 1, info.height - 1),
    ];
    const around = image.transparent ? 0 : 255;
    expect(corners).toEqual([around, around, around, around]);
    expect(alphaAt(info.width / 2, info.height / 2)).toBe(255);
  });

  test("has no metadata", async () => {
    const { exif, icc, iptc, xmp, comments } = await sharp(path).metadata();
    expect([exif, icc, iptc, xmp, comments].filter((part) => part !== undefined)).toEqual([]);
  });

  test("matches its drawings", async () => {
    const difference = await differenceBetween(path, join(redrawn, image.file));
    // Encoders differ a little between machines; a changed drawing differs more.
    expect(difference.mean).toBeLessThan(1);
    expect(difference.shareChanged).toBeLessThan(0.0001);
  });
});

test.each(
  Object.entries(copies).flatMap(([folder, files]) => files.map((file) => [folder, file] as const)),
)("%s/%s is a small copy of the image", async (folder, file) => {
  const path = join(committed, "..", folder, file);
  expect((await readFile(path)).byteLength).toBeLessThan(70_000);
  const difference = await differenceBetween(path, await smallCopy(join(committed, file)));
  expect(difference.mean).toBeLessThan(1);
});

function formatOf(bytes: Buffer): string {
  if (bytes.subarray(0, 3).toString("hex") === "ffd8ff") return "jpeg";
  if (bytes.subarray(0, 8).toString("hex") === "89504e470d0a1a0a") return "png";
  const container = bytes.toString("latin1", 0, 4) + bytes.toString("latin1", 8, 12);
  return container === "RIFFWEBP" ? "webp" : "unknown";
}

async function pixels(path: string | Buffer) {
  return sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
}

/** Compares visible pixels: the color of a fully transparent pixel does not count. */
async function differenceBetween(one: string, other: string | Buffer) {
  const [a, b] = await Promise.all([pixels(one), pixels(other)]);
  expect(b.info).toMatchObject({ width: a.info.width, height: a.info.height });
  let total = 0;
  let changed = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const alphas = [a.data.readUInt8(at + 3), b.data.readUInt8(at + 3)] as const;
    let largest = Math.abs(alphas[0] - alphas[1]);
    for (let channel = 0; channel < 3; channel += 1) {
      const seen = a.data.readUInt8(at + channel) * alphas[0];
      const again = b.data.readUInt8(at + channel) * alphas[1];
      largest = Math.max(largest, Math.abs(seen - again) / 255);
    }
    total += largest;
    if (largest > 32) changed += 1;
  }
  const count = a.data.length / 4;
  return { mean: total / count, shareChanged: changed / count };
}
