import { createHash } from "node:crypto";

import sharp from "sharp";
import { describe, expect, it } from "vitest";

import { exif, photos, segment, trailers, withChunks, withSegments } from "../../test/photos.ts";
import { readImageHeader } from "./read-image-header.ts";
import { removeMetadata } from "./remove-metadata.ts";

const secret = Buffer.from("PRIVATE");

/** Returns a digest of the pixels. */
async function pixelsOf(bytes: Uint8Array): Promise<string> {
  const photo = sharp(bytes, { failOn: "error" }).toColourspace("srgb");
  return createHash("md5")
    .update(await photo.raw().toBuffer())
    .digest("hex");
}

async function withoutMetadata(photo: Uint8Array): Promise<Buffer | undefined> {
  const bytes = new Uint8Array(photo);
  const image = await removeMetadata(bytes, await readImageHeader(new Blob([bytes])));
  return image && Buffer.from(await image.arrayBuffer());
}

/** Files of each format with private bytes in each part that may have some. */
const dirty = {
  JPEG: async (orientation: number) => {
    const photo = await photos["progressive JPEG"]();
    const data = Buffer.concat([exif(orientation), secret]);
    const names = ["http://ns.adobe.com/xap/1.0/\0", "MPF\0", "Photoshop 3.0\0", "JFXX\0"];
    const [xmp, mpf, iptc, thumbnail] = names.map((name) => Buffer.from(name + "PRIVATE"));
    const added = [
      segment(0xe1, data),
      segment(0xe1, xmp ?? secret),
      segment(0xe2, mpf ?? secret),
      segment(0xed, iptc ?? secret),
      segment(0xe0, thumbnail ?? secret),
      segment(0xfe, secret),
      // Stray bytes between segments.
      secret,
    ];
    // A comment between two scans, and another image after the end.
    const scan = photo.lastIndexOf(Buffer.from([0xff, 0xda]));
    const scans = [photo.subarray(0, scan), segment(0xfe, secret), photo.subarray(scan)];
    return Buffer.concat([withSegments(Buffer.concat(scans), ...added), secret]);
  },
  PNG: async (orientation: number) => {
    const chunks = {
      eXIf: exif(orientation).subarray(6),
      tEXt: secret,
      iTXt: secret,
      tIME: secret,
    };
    return Buffer.concat([withChunks(await photos.PNG(), chunks), secret]);
  },
  WebP: async (orientation: number) => {
    const exifOf = { IFD0: { Copyright: "PRIVATE" } };
    const xmp = "<x:xmpmeta xmlns:x='adobe:ns:meta/'>PRIVATE</x:xmpmeta>";
    const photo = sharp(await photos["lossy WebP"]());
    const webp = photo.withMetadata({ orientation }).withExifMerge(exifOf).withXmp(xmp).webp();
    return Buffer.concat([await webp.toBuffer(), secret]);
  },
} as const;

describe.each(Object.entries(dirty))("removeMetadata of a %s", (format, create) => {
  it.each([1, 6])("keeps pixels and orientation %i only", async (orientation) => {
    const photo = await create(orientation);
    expect(photo.includes(secret)).toBe(true);
    const image = (await withoutMetadata(photo)) ?? Buffer.alloc(0);
    for (const part of [secret, "GPS", "xmp", exif(1).subarray(76, 100)]) {
      expect(image.includes(part)).toBe(false);
    }
    expect(await pixelsOf(image)).toEqual(await pixelsOf(photo));
    const found = await readImageHeader(new Blob([new Uint8Array(image)]));
    expect(found).toMatchObject({ format, isTruncated: false });
    expect(Math.max(1, found.orientation)).toBe(orientation);
    const { exif: left, xmp, iptc, orientation: read } = await sharp(image).metadata();
    expect([xmp, iptc, read ?? 1]).toEqual([undefined, undefined, orientation]);
    expect(left?.length ?? 0).toBeLessThan(33);
    expect((await withoutMetadata(image))?.equals(image)).toBe(true);
  });

  it("keeps the color profile", async () => {
    const photo = sharp(await create(1), { failOn: "error" }).withMetadata({ icc: "p3" });
    const profiled = await (
      { JPEG: photo.jpeg(), PNG: photo.png(), WebP: photo.webp() }[format] ?? photo
    ).toBuffer();
    const { icc } = await sharp(profiled).metadata();
    expect(icc?.length).toBeGreaterThan(400);
    const image = await withoutMetadata(profiled);
    expect((await sharp(image).metadata()).icc).toEqual(icc);
  });
});

it.each(Object.entries(photos))(
  "keeps all pixels of a %s, or is undefined",
  async (name, create) => {
    const photo = await create();
    const image = await withoutMetadata(Buffer.concat([photo, trailers["one byte"]()]));
    expect(image !== undefined).toBe(/JPEG|PNG|WebP/.test(name));
    // Other formats may need a decoder that is not there.
    expect(image && (await pixelsOf(image))).toEqual(image && (await pixelsOf(photo)));
  },
);
