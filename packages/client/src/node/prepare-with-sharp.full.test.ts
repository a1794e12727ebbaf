import sharp from "sharp";
import { describe, expect, it } from "vitest";

import { encode as encodeFile } from "../../test/encoders.ts";
import { recordingClient } from "../../test/bodies.ts";
import { flat, quarterColors, withChunks } from "../../test/photos.ts";
import { shirtUrl } from "../../test/service.ts";
import { prepareImage } from "./index.ts";

const { tryon } = recordingClient();
const sides = { width: 512, height: 512, channels: 3 as const };

type Color = readonly number[];

/** Creates a PNG of four colors with 16 bits, one below the other, and adds chunks. */
async function pngOf(
  colors: readonly Color[],
  chunks: Readonly<Record<string, readonly number[]>>,
): Promise<Buffer> {
  const { width, height } = sides;
  const pixels = Uint16Array.from({ length: width * height * 3 }, (_unused, at) => {
    const color = colors[Math.floor((at * colors.length) / (width * height * 3))];
    return Math.round((color?.[at % 3] ?? 0) * 65_535);
  });
  const photo = sharp(pixels, { raw: sides }).toColourspace("rgb16");
  const added = Object.entries(chunks).map(([type, content]) => [type, Uint8Array.from(content)]);
  const png = await photo.png({ compressionLevel: 1 }).toBuffer();
  return withChunks(png, Object.fromEntries(added) as Record<string, Uint8Array>);
}

const eightBits = async (colors: readonly Color[]) =>
  sharp(await pngOf(colors, {}))
    .toColourspace("srgb")
    .png()
    .toBuffer();

/** Returns the maximum difference of the colors of an image from others, one below the other. */
async function differenceOf(image: Blob, colors: readonly Color[]): Promise<number> {
  const photo = sharp(await image.arrayBuffer());
  const { data, info } = await photo.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const differences = colors.flatMap((color, index) => {
    const row = Math.floor((info.height * (index + 0.5)) / colors.length);
    const at = row * info.width * info.channels;
    return color.map((value, channel) => Math.abs(value - (data[at + channel] ?? 0)));
  });
  return Math.max(...differences);
}

const codesOf = async (person: Blob): Promise<readonly string[]> => {
  const issues = await tryon.validate({ person, garments: [shirtUrl] });
  return issues.map(({ code }) => code);
};

/** Encodes a color of sRGB in other primaries and with another transfer function. */
function encode(color: Color, rows: readonly Color[], transfer: (light: number) => number): Color {
  const light = color.map((value) =>
    value > 10 ? ((value / 255 + 0.055) / 1.055) ** 2.4 : value / 255 / 12.92,
  );
  return rows.map((row) =>
    transfer(row.reduce((sum, part, at) => sum + part * (light[at] ?? 0), 0)),
  );
}

// As in BT.2087, and from the primaries of Display P3.
const bt709 = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const bt2020 = [
  [0.6274, 0.3293, 0.0433],
  [0.0691, 0.9195, 0.0114],
  [0.0164, 0.088, 0.8956],
];
const displayP3 = [
  [0.8225, 0.1774, 0],
  [0.0332, 0.9669, 0],
  [0.0171, 0.0724, 0.9108],
];

const srgb = (light: number) =>
  light > 0.0031308 ? 1.055 * light ** (1 / 2.4) - 0.055 : light * 12.92;
const pq = (light: number) => {
  const power = ((light * 203) / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
};

/** Encodes colors for a display of 1,000 nits on which white has 203. */
function encodeHlg(light: Color): Color {
  const nits = light.map((value) => (value * 203) / 1_000);
  const [red = 0, green = 0, blue = 0] = nits;
  const luminance = 0.2627 * red + 0.678 * green + 0.0593 * blue;
  return nits.map((value) => {
    const scene = value * luminance ** (1 / 1.2 - 1);
    return scene <= 1 / 12
      ? Math.sqrt(3 * scene)
      : 0.17883277 * Math.log(12 * scene - 0.28466892) + 0.55991073;
  });
}

const encodeAll = (rows: readonly Color[], transfer: (light: number) => number) =>
  quarterColors.map((color) => encode(color, rows, transfer));
const plain = encodeAll(bt709, srgb);
const linear = [0, 1, 0x86, 0xa0];

describe("prepareImage keeps colors", () => {
  it.each<[string, readonly Color[], Readonly<Record<string, readonly number[]>>]>([
    ["Display P3", encodeAll(displayP3, srgb), { cICP: [12, 13, 0, 1] }],
    ["BT.2020", encodeAll(bt2020, srgb), { cICP: [9, 14, 0, 1] }],
    ["PQ", encodeAll(bt2020, pq), { cICP: [9, 16, 0, 1] }],
    ["HLG", encodeAll(bt2020, (light) => light), { cICP: [9, 18, 0, 1] }],
    ["linear gAMA", encodeAll(bt709, (light) => light), { gAMA: linear }],
    ["gAMA of 1/1.8", encodeAll(bt709, (light) => light ** (1 / 1.8)), { gAMA: [0, 0, 0xd9, 3] }],
    ["gAMA that sRGB overrides", plain, { gAMA: linear, sRGB: [0] }],
    ["the usual gAMA", plain, { gAMA: [0, 0, 0xb1, 0x8f] }],
  ])("in a PNG with %s", async (what, encoded, chunks) => {
    const colors = what === "HLG" ? encoded.map((color) => encodeHlg(color)) : encoded;
    const prepared = await prepareImage(await pngOf(colors, chunks));
    expect(await differenceOf(prepared, quarterColors)).toBeLessThan(5);
    expect(await codesOf(prepared)).toEqual([]);
  });

  it("in a PNG with transparency and one with grays", async () => {
    const colors = encodeAll(displayP3, srgb);
    const added = withChunks(
      await sharp(await pngOf(colors, {}))
        .ensureAlpha(0.5)
        .png()
        .toBuffer(),
      { cICP: Uint8Array.of(12, 13, 0, 1) },
    );
    const webp = await prepareImage(added, { format: "webp" });
    expect(await differenceOf(webp, quarterColors)).toBeLessThan(8);
    const { channels } = await sharp(await webp.arrayBuffer()).stats();
    expect(channels[3]?.mean).toBeCloseTo(127.5, -1);
    const gray = await flat({ width: 512, height: 512 }).toColourspace("b-w").png().toBuffer();
    const prepared = await prepareImage(withChunks(gray, { gAMA: Uint8Array.from(linear) }));
    expect(await differenceOf(prepared, [[188, 188, 188]])).toBeLessThan(3);
  });

  it.each([
    ["Display P3", "12/13/6", encodeAll(displayP3, srgb)],
    ["PQ", "9/16/9", encodeAll(bt2020, pq)],
  ])("in an AVIF with %s from avifenc", async (_what, cicp, colors) => {
    const command = `avifenc --ignore-icc -d 10 --min 0 --max 8 --cicp ${cicp} in.png out.avif`;
    const prepared = await prepareImage(await encodeFile(await pngOf(colors, {}), command));
    expect(await differenceOf(prepared, quarterColors)).toBeLessThan(8);
    expect(await codesOf(prepared)).toEqual([]);
  });

  it.each(["jpeg", "png", "webp", "avif"] as const)("in a %s with a profile", async (format) => {
    const photo = sharp(await eightBits(plain));
    const profiled = await photo.withIccProfile("p3").toFormat(format, { quality: 95 }).toBuffer();
    const found = await codesOf(new Blob([new Uint8Array(profiled)]));
    expect(found).toContain("wide_gamut");
    const prepared = await prepareImage(profiled);
    expect(await differenceOf(prepared, quarterColors)).toBeLessThan(8);
    expect(await codesOf(prepared)).toEqual([]);
  });

  it("in a JPEG with CMYK and a profile", async () => {
    // Paper shows these colors, but not those of the other tests.
    const color = [180, 120, 100];
    const photo = sharp(await eightBits([color.map((value) => value / 255)]));
    const cmyk = await photo.withIccProfile("cmyk").toColourspace("cmyk").jpeg().toBuffer();
    expect((await sharp(cmyk).metadata()).channels).toBe(4);
    expect(await codesOf(new Blob([new Uint8Array(cmyk)]))).toEqual(["cmyk"]);
    expect(await differenceOf(await prepareImage(cmyk), [color])).toBeLessThan(16);
  });
});

it.each([
  ["highlights above white", [9, 16, 0, 1], ["hdr"]],
  ["primaries without a conversion", [22, 13, 0, 1], ["wide_gamut"]],
])("prepareImage keeps the warning about %s", async (_what, cICP, codes) => {
  const light = [[0.9, 0.9, 0.9]];
  const prepared = await prepareImage(await pngOf(light, { cICP }));
  expect(await codesOf(prepared)).toEqual(codes);
  const [issue] = await tryon.validate({ person: prepared, garments: [shirtUrl] });
  expect(issue?.severity).toBe("warning");
});

function insert(jpeg: Buffer, before: Buffer, bytes: Buffer): Buffer {
  const at = jpeg.indexOf(before);
  return Buffer.concat([jpeg.subarray(0, at), bytes, jpeg.subarray(at)]);
}

describe("a JPEG with errors that decoders ignore", () => {
  const scanHeader = Buffer.from([0xff, 0xda]);
  const stray = Buffer.from("stray \0\u00FF\0 bytes", "latin1");
  const faults: Readonly<Record<string, (jpeg: Buffer) => Buffer>> = {
    "a scan header with Se = 0": (jpeg) => {
      const copy = Buffer.from(jpeg);
      const scan = copy.indexOf(scanHeader);
      copy[scan + copy.readUInt16BE(scan + 2)] = 0;
      return copy;
    },
    "stray bytes between segments": (jpeg) => insert(jpeg, Buffer.from([0xff, 0xdb]), stray),
    "stray bytes before the scan": (jpeg) => insert(jpeg, scanHeader, stray),
    "a restart marker between segments": (jpeg) =>
      insert(jpeg, scanHeader, Buffer.from([0xff, 0xd3])),
    "stray bytes before the end": (jpeg) =>
      insert(jpeg, Buffer.from([0xff, 0xd9]), Buffer.of(0, 1)),
  };
  it.each(Object.entries(faults))(
    "is prepared, and refused after a cut: %s",
    async (_what, damage) => {
      const jpeg = await sharp(await eightBits(plain))
        .jpeg()
        .toBuffer();
      const faulty = damage(jpeg);
      expect(await codesOf(new Blob([new Uint8Array(faulty)]))).toEqual([]);
      expect(await differenceOf(await prepareImage(faulty), quarterColors)).toBeLessThan(8);
      for (const length of [faulty.length / 2, faulty.length - 2]) {
        const cut = new Blob([new Uint8Array(faulty.subarray(0, length))]);
        expect(await codesOf(cut)).toEqual(["truncated"]);
        await expect(prepareImage(cut)).rejects.toMatchObject({ issues: [{ code: "truncated" }] });
      }
    },
  );
});
