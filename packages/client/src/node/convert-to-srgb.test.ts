import { expect, it } from "vitest";

import type { ImageHeader } from "../images/read-image-header.ts";
import { srgbConverter } from "./convert-to-srgb.ts";

const none: ImageHeader = {
  start: "",
  format: "PNG",
  width: 1,
  height: 1,
  orientation: 0,
  isAnimated: false,
  isCmyk: false,
  rareKind: undefined,
  isCropped: false,
  isGrid: false,
  hasProfile: false,
  primaries: 0,
  transfer: 0,
  gamma: 0,
  isWideGamut: false,
  isHdr: false,
  isTruncated: false,
};

const convert = (header: Partial<ImageHeader>, pixels: Uint8Array | Uint16Array, channels = 3) =>
  srgbConverter({ ...none, ...header })?.(pixels, channels);
const gray = (part: number) => Uint16Array.of(part * 65_535, part * 65_535, part * 65_535);

// The values of Display P3 are those of lcms, and the others those of BT.2408: white has 203 nits.
it.each<[string, Partial<ImageHeader>, Uint8Array | Uint16Array, readonly number[]]>([
  ["Display P3", { primaries: 12 }, Uint8Array.of(202, 60, 50), [220, 40, 39]],
  [
    "Display P3 with a profile",
    { primaries: 12, hasProfile: true },
    Uint8Array.of(171, 123, 103),
    [180, 120, 100],
  ],
  [
    "white of BT.2020",
    { primaries: 9, transfer: 14 },
    Uint8Array.of(255, 255, 255),
    [255, 255, 255],
  ],
  ["58 % of PQ", { primaries: 9, transfer: 16 }, gray(0.5807), [255, 255, 255]],
  ["75 % of HLG", { primaries: 9, transfer: 18 }, gray(0.75), [255, 255, 255]],
  ["a linear transfer", { transfer: 8 }, gray(0.2159), [128, 128, 128]],
  ["a linear gAMA", { gamma: 1 }, gray(0.2159), [128, 128, 128]],
  ["gamma 2.2", { transfer: 4 }, gray(0.5), [128, 128, 128]],
  ["gamma 2.8", { transfer: 5 }, gray(0.5), [106, 106, 106]],
])("converts %s", (_what, header, pixels, expected) => {
  const { converted, isClipped } = convert(header, pixels) ?? {};
  const differences = expected.map((value, at) => Math.abs(value - (converted?.[at] ?? 0)));
  expect(Math.max(...differences)).toBeLessThan(3);
  expect(isClipped).toBe(false);
});

it("keeps transparency, and reports a highlight", () => {
  const pixels = Uint16Array.of(60_000, 60_000, 60_000, 32_768);
  expect(convert({ primaries: 9, transfer: 16 }, pixels, 4)).toEqual({
    converted: Uint8Array.of(255, 255, 255, 128),
    isClipped: true,
  });
});

it.each<[string, Partial<ImageHeader>]>([
  ["nothing known", {}],
  ["the primaries of sRGB", { primaries: 1, transfer: 13 }],
  ["the usual gAMA", { gamma: 0.454_55 }],
  ["unknown primaries", { primaries: 22, transfer: 13 }],
  ["a profile that wins", { format: "AVIF", primaries: 12, hasProfile: true }],
])("leaves an image with %s to libvips", (_what, header) => {
  expect(srgbConverter({ ...none, ...header })).toBeUndefined();
});
