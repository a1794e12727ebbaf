import { compositeEngine } from "@tryon/mock/node";
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  nat,
  tuple,
  uint8Array,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import type { ImageInput, InputIssue } from "../index.ts";
import { recordingClient } from "../../test/bodies.ts";
import {
  animation,
  exif,
  flat,
  photos,
  createPhoto,
  segment,
  trailers,
  withBrand,
  withChunks,
  withSegments,
} from "../../test/photos.ts";
import { createService, shirtUrl } from "../../test/service.ts";
import { readImageHeader, type ImageHeader } from "./read-image-header.ts";

const { tryon } = recordingClient();

const issuesOf = (person: ImageInput): Promise<readonly InputIssue[]> =>
  tryon.validate({ person, garments: [shirtUrl] });
const codesOf = async (person: ImageInput): Promise<readonly string[]> =>
  (await issuesOf(person)).map(({ code }) => code);
/** Returns the codes of the issues, without the warning of a format. */
const problemsOf = async (person: ImageInput): Promise<readonly string[]> =>
  (await codesOf(person)).filter((code) => code !== "heic_or_avif");

/** Forms in which an image is given. */
const forms: readonly ((bytes: Buffer) => ImageInput)[] = [
  (bytes) => new Blob([new Uint8Array(bytes)]),
  (bytes) => bytes,
  (bytes) => ({ base64: bytes.toString("base64") }),
];

/** Blob that records the slices that are read of it. */
class SlicedBlob extends Blob {
  readonly lengths: number[] = [];

  get total(): number {
    return this.lengths.reduce((sum, length) => sum + length, 0);
  }

  override slice(start = 0, end = this.size): Blob {
    const piece = super.slice(start, end);
    this.lengths.push(piece.size);
    return piece;
  }
}
const sliced = (...parts: readonly Uint8Array[]) =>
  new SlicedBlob(parts.map((part) => new Uint8Array(part)));

describe.each(Object.entries(photos))("a %s", (name, create) => {
  it("is valid, in any form", async () => {
    const photo = await create();
    for (const form of forms) expect(await problemsOf(form(photo))).toEqual([]);
  });

  it.each(Object.entries(trailers))("is valid with %s after its end", async (_what, trailer) => {
    const whole = Buffer.concat([await create(), await trailer()]);
    for (const form of forms) expect(await problemsOf(form(whole))).toEqual([]);
  });

  it("is invalid after any cut that its format can prove", async () => {
    const photo = await create();
    const [, meta = Infinity, data = 0] = /AVIF|HEIC/.test(name) ? boxStarts(photo) : [];
    /** Returns true if the first bytes of the photo prove that the others are missing. */
    const isProof = (length: number): boolean => {
      // A box proves only its own end, and the second one proves the end of all data.
      if (data > 0) return length >= 8 && (length < meta || length >= meta + 8);
      // The last byte of a GIF only says that no other frame follows.
      if (name === "GIF") return length >= 4 && length < photo.length - 1;
      const minimum = { JPEG: 2, PNG: 4, WebP: 12 }[/JPEG|PNG|WebP/.exec(name)?.[0] ?? ""];
      return length >= (minimum ?? Infinity);
    };
    const lengths = integer({ min: 1, max: photo.length - 1 });
    const check = async (length: number, form: (bytes: Buffer) => ImageInput) => {
      const codes = await problemsOf(form(photo.subarray(0, length)));
      const others = codes.filter((code) => code !== "truncated");
      expect(codes).toEqual(isProof(length) ? ["truncated"] : others);
    };
    await assert(asyncProperty(lengths, constantFrom(...forms), check), {
      numRuns: cases(300, 40),
    });
    for (const last of [1, 2, 3, 12]) await check(photo.length - last, (bytes) => bytes);
  });
});

describe("a cut photo", () => {
  it("names the end marker if it is missing from a JPEG", async () => {
    const [issue] = await issuesOf((await photos["baseline JPEG"]()).subarray(0, -2));
    expect(issue?.message).toBe("person is incomplete: the end marker of the JPEG is missing.");
  });

  it("is found after bytes between the segments of a JPEG, which decoders skip", async () => {
    const photo = await photos["JPEG with a thumbnail"]();
    const starts: number[] = [];
    for (let at = 2; photo[at + 1] !== 0xda; at += 2 + photo.readUInt16BE(at + 2)) starts.push(at);
    // A marker is 0xFF and another byte than 0 and 0xFF.
    const stray = uint8Array({ max: 254, maxLength: 90 });
    const check = async (at: number, bytes: Uint8Array) => {
      const whole = Buffer.concat([photo.subarray(0, at), bytes, photo.subarray(at)]);
      expect(await codesOf(whole)).toEqual([]);
      expect(await codesOf(whole.subarray(0, whole.length / 2))).toEqual(["truncated"]);
    };
    const numRuns = cases(300, 20);
    await assert(asyncProperty(constantFrom(...starts), stray, check), { numRuns });
    for (const at of starts) await check(at, Buffer.from([0, 0xff, 0, 0xff, 0xff, 0xff]));
  });

  it.each(["a second image, as in MPF", "the video of a motion photo"] as const)(
    "is valid while the photo is complete and %s is not",
    async (trailer) => {
      const photo = await photos["JPEG with a thumbnail"]();
      const whole = Buffer.concat([photo, await trailers[trailer]()]);
      const cut = async (length: number) => codesOf(new Blob([whole.subarray(0, length)]));
      const lengths = integer({ min: 3, max: whole.length });
      const check = async (length: number): Promise<void> => {
        expect(await cut(length)).toEqual(length < photo.length ? ["truncated"] : []);
      };
      await assert(asyncProperty(lengths, check), { numRuns: cases(300, 40) });
      await check(photo.length - 1);
      await check(photo.length);
    },
  );

  it("costs nothing: nothing is sent, and the error names the field and the fix", async () => {
    const { tryon: client, mock, run, sent } = createService({}, {});
    const photo = await halfOf(photos["baseline JPEG"]);
    const error = run(client.run({ person: shirtUrl, garments: [photo] }));
    await expect(error).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ field: "garments.0", code: "truncated", severity: "error" }],
      hint: "Read or upload it again.",
    });
    expect(sent).toEqual([]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });

  it("is charged and fails without validation, as it would without this check", async () => {
    const engine = await compositeEngine();
    const { tryon: client, mock, run } = createService({ engine }, { validate: false });
    const photo = await halfOf(photos["baseline JPEG"]);
    const error = run(client.run({ person: photo, garments: [shirtUrl] }));
    await expect(error).rejects.toMatchObject({ code: "job_failed" });
    // Some profiles refund it afterwards.
    const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
    expect(entries.map(({ credits }) => credits)).toContain(-8);
  });
});

describe("a warning", () => {
  const small = { width: 511, height: 600 };

  it.each<[string, () => Promise<Buffer>]>([
    ["JPEG", () => flat(small).jpeg().toBuffer()],
    ["progressive JPEG", () => flat(small).jpeg({ progressive: true }).toBuffer()],
    ["PNG", () => flat(small).png().toBuffer()],
    ["WebP", () => flat(small).webp().toBuffer()],
    ["lossless WebP", () => flat(small).webp({ lossless: true }).toBuffer()],
    ["WebP with metadata", () => flat(small).withMetadata().webp().toBuffer()],
    ["GIF", () => flat(small).gif().toBuffer()],
    ["AVIF", () => flat(small).avif().toBuffer()],
  ])("is given for less than 512 pixels on a side: %s", async (_name, create) => {
    const issues = await issuesOf(await create());
    expect(issues.find(({ code }) => code === "low_resolution")).toEqual({
      field: "person",
      code: "low_resolution",
      severity: "warning",
      message: "person has 511 × 600 pixels, and fewer than 512 on a side.",
      bound: 512,
      hint: "Use a larger image.",
    });
  });

  it("is given for the size of a BMP", async () => {
    const issues = await issuesOf(bmp(508, -600));
    expect(issues[0]?.message).toContain("508 × 600 pixels");
    expect(await codesOf(bmp(508, 600).subarray(0, -1))).toEqual(["truncated"]);
  });

  it("is given for more than 50 megapixels", async () => {
    const png = await flat({ width: 520, height: 520 }).png().toBuffer();
    const resized = (width: number): Buffer => {
      const copy = Buffer.from(png);
      copy.writeUInt32BE(width, 16);
      copy.writeUInt32BE(5_000, 20);
      return copy;
    };
    expect(await codesOf(resized(10_000))).toEqual([]);
    expect(await issuesOf(resized(10_001))).toMatchObject([
      {
        code: "high_resolution",
        severity: "warning",
        message: "person has 10001 × 5000 pixels, and the limit may be 50000000.",
        hint: "Use prepareImage.",
      },
    ]);
  });

  it.each<[string, string, () => Promise<Buffer>]>([
    ["CMYK colors", "cmyk", () => createPhoto().toColourspace("cmyk").jpeg().toBuffer()],
    ["an animated GIF", "animated", () => animation().gif({ loop: 1 }).toBuffer()],
    ["an animated WebP", "animated", () => animation().webp().toBuffer()],
    [
      "an animated PNG",
      "animated",
      async () => withChunks(await createPhoto().png().toBuffer(), { acTL: Buffer.alloc(8, 1) }),
    ],
    ["Display P3", "wide_gamut", () => pngWith({ cICP: [12, 13, 0, 1] })],
    ["HDR in the primaries of sRGB", "hdr", () => pngWith({ cICP: [1, 16, 0, 1] })],
    ["AVIF", "heic_or_avif", photos.AVIF],
    ["HEIC", "heic_or_avif", photos.HEIC],
    ["HEIC of another brand", "heic_or_avif", async () => withBrand(await photos.AVIF(), "mif1")],
    ["a video", "unknown_image", async () => withBrand(await photos.AVIF(), "mp42")],
  ])("is given for %s: %s", async (_what, code, create) => {
    const issues = await issuesOf(await create());
    expect(issues.map((issue) => [issue.code, issue.severity])).toEqual([[code, "warning"]]);
  });

  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ["an arithmetic-coded JPEG", async () => withFrame(await photos["baseline JPEG"](), 0xc9)],
    ["a lossless or hierarchical JPEG", async () => withFrame(await jpegPhoto(), 0xc3)],
    ["a JPEG without its height", async () => withFrame(await jpegPhoto(), 0xc0, 3, 0)],
    [
      "a JPEG with more than 8 bits per color",
      async () => withFrame(await jpegPhoto(), 0xc1, 2, 12),
    ],
    ["BMP", () => bmp(512, -513)],
    // Its sides are 512, and all else has defaults.
    ["JPEG XL", () => Buffer.from([0xff, 0x0a, 0xf8, 0x9f, 0])],
  ])("is given for %s", async (what, create) => {
    const issues = await issuesOf(await create());
    expect(issues).toMatchObject([
      {
        code: "uncommon_format",
        severity: "warning",
        message: `person is ${what}, which the service may not read.`,
      },
    ]);
  });

  it.each(["avis", "msf1"])("is given for a sequence of the brand %s", async (brand) => {
    const codes = await codesOf(withBrand(await photos.AVIF(), brand));
    expect(codes).toEqual(["animated", "heic_or_avif"]);
  });

  it.each([2, 3, 4, 5, 6, 7, 8])("is given for EXIF orientation %i", async (orientation) => {
    for (const byteOrder of ["II", "MM"]) {
      const data = exif(orientation, { byteOrder });
      const jpeg = withSegments(await createPhoto().jpeg().toBuffer(), segment(0xe1, data));
      const png = withChunks(await createPhoto().png().toBuffer(), { eXIf: data.subarray(6) });
      for (const photo of [jpeg, png]) expect(await codesOf(photo)).toEqual(["rotated"]);
    }
    const late = await photos.PNG();
    const data = withChunks(late, { eXIf: exif(orientation).subarray(6) }).subarray(33, 145);
    const end = late.length - 12;
    const parts = [late.subarray(0, end), data, late.subarray(end)];
    expect(await codesOf(Buffer.concat(parts))).toEqual(["rotated"]);
    const webp = await createPhoto().withMetadata({ orientation }).webp().toBuffer();
    expect(await issuesOf(webp)).toMatchObject([
      {
        message: `person has EXIF orientation ${orientation}, which the service may ignore.`,
        severity: "warning",
      },
    ]);
  });

  it("does not stop a try-on, and goes to the logger", async () => {
    const messages: string[] = [];
    const warn = (message: string) => messages.push(message);
    const { tryon: client, gathered } = recordingClient([], { logger: { warn } });
    const photo = await flat({ width: 300, height: 600 }).jpeg().toBuffer();
    await client.submit({ person: photo, garments: [shirtUrl] });
    expect(gathered).toHaveLength(1);
    expect(messages.join()).toContain("person has 300 × 600 pixels");
  });
});

describe("the orientation of a JPEG", () => {
  it("is that of its first EXIF data, as decoders read it", async () => {
    const parts = [6, 3].map((orientation) => segment(0xe1, exif(orientation)));
    const { orientation } = await headerOf(withSegments(await photos["baseline JPEG"](), ...parts));
    expect(orientation).toBe(6);
  });

  it.each(["II", "MM"])("may be a number of four bytes in the order %s", async (byteOrder) => {
    const data = exif(6, { byteOrder });
    const isLittleEndian = byteOrder === "II";
    // The type and the value of the first entry, after the 6 bytes of the name.
    data[isLittleEndian ? 18 : 19] = 4;
    data.set(isLittleEndian ? [6, 0, 0, 0] : [0, 0, 0, 6], 24);
    const photo = withSegments(await photos["baseline JPEG"](), segment(0xe1, data));
    expect((await headerOf(photo)).orientation).toBe(6);
  });
});

describe("the header of an AVIF or HEIC", () => {
  const ispe = (width: number, height: number) => box("ispe", numbers(4, 0, width, height));
  const properties = [
    ispe(600, 800),
    ispe(2_000, 2_000),
    box("clap", numbers(4, 500, 1, 1_400, 2, 0, 1, 0, 1)),
    box("irot", [1]),
    box("imir", [1]),
    box("colr", Buffer.from("nclx"), numbers(2, 12, 16, 9), [0]),
  ];

  it.each<[string, readonly number[], Partial<ImageHeader>]>([
    ["the size of the primary item, not of a larger one", [1], { width: 600, height: 800 }],
    ["a crop", [1, 3], { isCropped: true, width: 500, height: 700 }],
    ["a rotation", [1, 4], { orientation: 8 }],
    ["a rotation and a mirror", [1, 0x84, 0x85], { orientation: 7 }],
    ["colors", [1, 6], { isWideGamut: true, isHdr: true, primaries: 12, transfer: 16 }],
    ["no more than there is", [1, 99], { orientation: 1, isCropped: false, primaries: 0 }],
  ])("has %s", async (_what, used, expected) => {
    const file = heif(properties, used);
    expect(await headerOf(file)).toMatchObject({ format: "HEIC", isTruncated: false, ...expected });
  });

  it("tells a grid from a single image", async () => {
    expect((await headerOf(heif(properties, [1]))).isGrid).toBe(false);
    expect((await headerOf(heif(properties, [1], "grid"))).isGrid).toBe(true);
  });

  it("proves a missing end by the places of the items, if no box has a length", async () => {
    const file = heif(properties, [1]);
    for (const length of [file.length - 1, file.length - 40]) {
      expect((await headerOf(file.subarray(0, length))).isTruncated).toBe(true);
    }
  });
});

describe("what is read of an image", () => {
  it("is limited in photos with changed bytes, all of which are readable", async () => {
    const files = await Promise.all(Object.values(photos).map(async (create) => create()));
    const change = tuple(nat(), nat(255));
    const changes = array(change, { minLength: 1, maxLength: 9 });
    const numRuns = cases(3_000, 100);
    await assert(asyncProperty(constantFrom(...files), changes, expectLimitedReads), { numRuns });
  });

  it("is limited if each segment leads to another part of the file", async () => {
    // EXIF data whose directory is far away.
    const data = Buffer.from("Exif\0\0II*\0\0\0\u0010\0", "latin1");
    const segments = Buffer.alloc(9_000_000, segment(0xe1, data));
    const file = sliced(Buffer.of(0xff, 0xd8), segments);
    await issuesOf(file);
    expect(file.total).toBeLessThan(80_000_000);
  });

  it.each(Object.entries(photos))("is at most two windows of a %s", async (_name, create) => {
    const photo = sliced(await create());
    await issuesOf(photo);
    expect(photo.lengths.length).toBeLessThanOrEqual(/large|metadata/.test(_name) ? 9 : 2);
    expect(Math.max(...photo.lengths)).toBeLessThanOrEqual(65_536);
  });

  it("is in windows, also if the end of a large photo is missing", async () => {
    const photo = await photos["baseline JPEG"]();
    const cut = sliced(photo.subarray(0, -2), Buffer.alloc(9_000_000));
    expect(await codesOf(cut)).toEqual(["truncated"]);
    expect(Math.max(...cut.lengths)).toBeLessThanOrEqual(65_536);
    expect(cut.total).toBeLessThan(cut.size + 200_000);
  });

  it("finds the end marker between two windows", async () => {
    const photo = await photos["baseline JPEG"]();
    for (const padding of [65_534, 65_535, 65_536]) {
      expect(await codesOf(sliced(photo, Buffer.alloc(padding)))).toEqual([]);
    }
  });

  it("is nothing of an image over the limit", async () => {
    const large = sliced(await photos["baseline JPEG"](), Buffer.alloc(50_000_000));
    expect(await codesOf(large)).toEqual(["too_large"]);
    expect(large.lengths).toEqual([]);
  });

  it.each([
    ["fill bytes", [0xff, 0xd8, 0xff], [0xff]],
    ["segments", [0xff, 0xd8], [0xff, 0xe5, 0, 2]],
    [
      "chunks",
      [...Buffer.from("\u0089PNG\r\n\u001A\n", "latin1")],
      [0, 0, 0, 0, ...Buffer.from("tEXtcrc4")],
    ],
    ["blocks", [...Buffer.from("GIF89a\u0001\0\u0001\0\0\0\0!\u00fe", "latin1")], [1, 0x21]],
  ])(
    "is not all of a file made of tiny %s, of which nothing is known",
    async (_what, head, part) => {
      const file = sliced(Buffer.from(head), Buffer.alloc(9_000_000, Buffer.from(part)));
      expect(await codesOf(file)).not.toContain("truncated");
      expect(file.total).toBeLessThan(1_000_000);
    },
  );

  it("ends after any bytes that begin like an image", async () => {
    const heads = [
      Buffer.from([0xff, 0xd8, 0xff]),
      Buffer.from("\u0089PNG\r\n\u001A\n", "latin1"),
      Buffer.from("RIFF\0\0\0\0WEBPVP8X", "latin1"),
      Buffer.from("GIF89a\0\u0002\0\u0002", "latin1"),
      Buffer.from("\0\0\0\u0010ftypheic\0\0\0\0", "latin1"),
      Buffer.from("\0\0\0\u0010ftypavif\0\0\0\0\0\0\u0001\0meta\0\0\0\0", "latin1"),
      Buffer.from("\0\0\0\fJXL \r\n\u0087\n\0\0\0\0jxlc\u00FF\n", "latin1"),
      bmp(1, 1).subarray(0, 18),
      withChunks(Buffer.alloc(33), { iCCP: Buffer.from("icc\0\0x\u009C") }).subarray(25),
    ];
    const bytes = uint8Array({ maxLength: 300 });
    const numRuns = cases(3_000, 20);
    await assert(
      asyncProperty(constantFrom(...heads), bytes, async (head, rest) => {
        const codes = await codesOf(Buffer.concat([head, rest]));
        expect(codes).not.toContain("unreadable");
      }),
      { numRuns },
    );
  });
});

const headerOf = async (image: Uint8Array): Promise<ImageHeader> =>
  readImageHeader(new Blob([new Uint8Array(image)]));

/** Writes big-endian numbers. */
function numbers(length: number, ...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(length * values.length);
  for (const [index, value] of values.entries()) bytes.writeUIntBE(value, index * length, length);
  return bytes;
}

function box(type: string, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
  return Buffer.concat([numbers(4, content.length + 8), Buffer.from(type), content]);
}

/** Creates a HEIC whose item 2 is the primary one and uses properties. Item 1 uses the second property. */
function heif(properties: readonly Buffer[], used: readonly number[], type = "hvc1"): Buffer {
  const infe = (id: number, kind: string) =>
    box("infe", [2, 0, 0, 0], numbers(2, id, 0), Buffer.from(`${kind}\0`));
  const head = box("ftyp", Buffer.from("heic\0\0\0\0mif1heic"));
  const create = (start: number) =>
    box(
      "meta",
      [0, 0, 0, 0],
      box("pitm", [0, 0, 0, 0], numbers(2, 2)),
      // Version 1, with offsets and lengths of 4 bytes. An item has an id, a method, a reference and its extents.
      box(
        "iloc",
        [1, 0, 0, 0, 0x44, 0],
        numbers(2, 2),
        numbers(2, 1, 0, 0, 1),
        numbers(4, start, 50),
        numbers(2, 2, 0, 0, 1),
        numbers(4, start + 50, 50),
      ),
      box("iinf", [0, 0, 0, 0], numbers(2, 2), infe(1, "hvc1"), infe(2, type)),
      box(
        "iprp",
        box("ipco", ...properties),
        box("ipma", [0, 0, 0, 0], numbers(4, 2), numbers(2, 1), [1, 2], numbers(2, 2), [
          used.length,
          ...used,
        ]),
      ),
    );
  const start = head.length + create(0).length + 8;
  // Its last box has no length.
  return Buffer.concat([
    head,
    create(start),
    numbers(4, 0),
    Buffer.from("mdat"),
    Buffer.alloc(100, 7),
  ]);
}

const jpegPhoto = photos["baseline JPEG"];

async function pngWith(chunks: Readonly<Record<string, readonly number[]>>): Promise<Buffer> {
  const added = Object.entries(chunks).map(([type, bytes]) => [type, Uint8Array.from(bytes)]);
  return withChunks(await photos.PNG(), Object.fromEntries(added) as Record<string, Uint8Array>);
}

/** Changes the frame of a baseline JPEG: its marker, and the byte at an offset. */
function withFrame(jpeg: Buffer, marker: number, at = 1, value = marker): Buffer {
  const copy = Buffer.from(jpeg);
  const frame = copy.indexOf(Buffer.from([0xff, 0xc0]));
  copy[frame + 1] = marker;
  // The height has two bytes.
  if (at === 3) copy.writeUInt16BE(0, frame + 5);
  else if (at > 1) copy[frame + 2 + at] = value;
  return copy;
}

function bmp(width: number, height: number): Buffer {
  const file = Buffer.alloc(54 + width * Math.abs(height) * 3);
  file.write("BM", "latin1");
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(24, 28);
  return file;
}

async function expectLimitedReads(
  photo: Buffer,
  changes: readonly (readonly [number, number])[],
): Promise<void> {
  const copy = Buffer.from(photo);
  // Most of what can go wrong is at the start.
  for (const [at, value] of changes) copy[at % (at % 2 ? 900 : copy.length)] = value;
  const file = sliced(copy);
  expect(await codesOf(file)).not.toContain("unreadable");
  expect(file.total).toBeLessThan(3 * file.size + 200_000);
}

async function halfOf(create: () => Promise<Buffer>): Promise<Buffer> {
  const photo = await create();
  return photo.subarray(0, photo.length / 2);
}

/** Returns the offsets of the top-level boxes of an AVIF. */
function boxStarts(photo: Buffer): number[] {
  const starts: number[] = [];
  for (let at = 0; at < photo.length; at += photo.readUInt32BE(at)) starts.push(at);
  return starts;
}
