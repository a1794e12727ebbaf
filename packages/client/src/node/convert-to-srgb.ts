import type { ImageHeader } from "../images/read-image-header.ts";

type Row = readonly [red: number, green: number, blue: number];
type Matrix = readonly [Row, Row, Row];

/** Luminance of white in nits, as BT.2408 maps it to HDR. */
const white = 203;

const displayP3: Matrix = [
  [1.224_94, -0.224_94, 0],
  [-0.042_057, 1.042_057, 0],
  [-0.019_638, -0.078_636, 1.098_274],
];
const bt2020: Matrix = [
  [1.660_491, -0.587_641, -0.072_85],
  [-0.124_55, 1.1329, -0.008_349],
  [-0.018_151, -0.100_579, 1.118_73],
];
const bt709: Matrix = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Matrices from linear colors to those of sRGB, by the primaries of H.273. */
const matrices: Readonly<Record<number, Matrix>> = { 9: bt2020, 11: displayP3, 12: displayP3 };

/** Functions to linear light, in which 1 is white, by the transfer functions of H.273. Others are close to that of sRGB. */
const transfers: Readonly<Record<number, (value: number) => number>> = {
  4: (value) => value ** 2.2,
  5: (value) => value ** 2.8,
  8: (value) => value,
  // PQ, SMPTE ST 2084.
  16: (value) => {
    const power = value ** (1 / 78.843_75);
    const ratio = Math.max(0, power - 0.835_937_5) / (18.851_562_5 - 18.6875 * power);
    return (ratio ** (1 / 0.159_301_757_812_5) * 10_000) / white;
  },
  // HLG, BT.2100: the light of the scene. A display makes it brighter.
  18: (value) =>
    value <= 0.5
      ? value ** 2 / 3
      : (Math.exp((value - 0.559_910_73) / 0.178_832_77) + 0.284_668_92) / 12,
};

const fromSrgb = (value: number) =>
  value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const toSrgb = (value: number) =>
  value <= 0.003_130_8 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;

const steps = 65_535;
/** Light above which a cut can be seen. */
const maxWhite = 1.1;

function step(light: number): number {
  return light <= 0 ? 0 : light >= 1 ? steps : Math.round(light * steps);
}

/**
 * Returns a function that converts pixels to sRGB, if `cICP`, `nclx` or `gAMA` describes their colors. libvips reads
 * profiles only. The function returns pixels of 8 bits, and `isClipped` if it cut highlights off.
 */
export function srgbConverter(header: ImageHeader) {
  const { primaries, transfer, gamma } = header;
  // In a PNG, `cICP` overrides a profile. In other formats, the profile wins.
  if (header.hasProfile && header.format !== "PNG") return undefined;
  const power = 1 / gamma;
  const linear = gamma > 0 ? (value: number) => value ** power : transfers[transfer];
  // The most common gamma is meant to be that of sRGB.
  if (Math.abs(gamma - 0.454_55) < 0.02 || !(linear ?? matrices[primaries])) return undefined;
  const [toRed, toGreen, toBlue] = matrices[primaries] ?? bt709;
  return (pixels: Uint8Array | Uint16Array, channels: number) => {
    const max = 256 ** pixels.BYTES_PER_ELEMENT - 1;
    const toLinear = Float64Array.from({ length: max + 1 }, (_unused, value) =>
      (linear ?? fromSrgb)(value / max),
    );
    const toByte = Uint8Array.from({ length: steps + 1 }, (_unused, value) =>
      Math.round(toSrgb(value / steps) * 255),
    );
    const converted = new Uint8Array(pixels.length);
    let isClipped = false;
    for (let at = 0; at < pixels.length; at += channels) {
      const red = toLinear[pixels[at] ?? 0] ?? 0;
      const green = toLinear[pixels[at + 1] ?? 0] ?? 0;
      const blue = toLinear[pixels[at + 2] ?? 0] ?? 0;
      const luminance = 0.2627 * red + 0.678 * green + 0.0593 * blue;
      const display = transfer === 18 ? (1_000 / white) * luminance ** 0.2 : 1;
      // Without a loop or an array, which make millions of pixels slow.
      const newRed = (toRed[0] * red + toRed[1] * green + toRed[2] * blue) * display;
      const newGreen = (toGreen[0] * red + toGreen[1] * green + toGreen[2] * blue) * display;
      const newBlue = (toBlue[0] * red + toBlue[1] * green + toBlue[2] * blue) * display;
      converted[at] = toByte[step(newRed)] ?? 0;
      converted[at + 1] = toByte[step(newGreen)] ?? 0;
      converted[at + 2] = toByte[step(newBlue)] ?? 0;
      isClipped ||= newRed > maxWhite || newGreen > maxWhite || newBlue > maxWhite;
      if (channels === 4) converted[at + 3] = Math.round(((pixels[at + 3] ?? 0) * 255) / max);
    }
    return { converted, isClipped };
  };
}
