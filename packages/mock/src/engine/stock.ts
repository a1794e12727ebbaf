import { stockColors, stockRows } from "../generated/stock-images.ts";
import type { Bytes, Engine, RenderRequest } from "./engine.ts";
import { pngChunk } from "@tryon/shared/png";
import { encodeIndexed } from "./png.ts";

type Colors = Readonly<Record<(typeof stockColors)[number], number>>;

const backgrounds = [0xf1ece4, 0xe6edf0, 0xeee8f2, 0xe9f0e6] as const;
const cloths = [0xc8553d, 0x2f6690, 0x588157, 0x8e5572, 0xd4a017, 0x355070] as const;
const skins = [0xf0c9a8, 0xc68863, 0x8d5a3b] as const;
const ink = 0x2b2d42;

/**
 * Creates the default engine: a prebuilt drawing that says "MOCK" in 1K, 2K or 4K. Request and seed choose its colors
 * and its comment, so the same request gives the same bytes on every server, and other requests give other bytes.
 */
export function stockEngine(): Engine {
  return {
    name: "stock",
    render: async (request) => drawStockImage(request),
  };
}

type StockRequest = Pick<RenderRequest, "width" | "height" | "fingerprint" | "seed">;

export function drawStockImage(request: StockRequest): Bytes {
  const { width, height } = request;
  return encode(width, height, colorsOf(request), commentOf(request));
}

const lengths = new Map<number, number>();

/** Returns the number of bytes of a stock image. Draws only the first image of each size. */
export function stockImageLength(request: StockRequest): number {
  const comment = commentOf(request).length;
  let length = lengths.get(request.width);
  if (length === undefined) {
    length = drawStockImage(request).length - comment;
    lengths.set(request.width, length);
  }
  return length + comment;
}

function commentOf({ fingerprint, seed }: StockRequest): string {
  return `tryon-mock ${fingerprint}${seed === null ? "" : ` seed ${seed}`}`;
}

export function drawPlaceholder(width: number, height: number): Bytes {
  const colors = shadeColors(0xe9ebf0, 0xc3c8d4, 0xd9dce4, false);
  const withoutText = { ...colors, ribbon: colors.floor, text: colors.floor };
  return encode(width, height, withoutText, "placeholder");
}

function colorsOf(request: StockRequest): Colors {
  const digits = (Number.parseInt(request.fingerprint.slice(0, 8), 16) || 0) + (request.seed ?? 0);
  const pick = <Item>(items: readonly [Item, ...Item[]], divisor: number): Item =>
    items[Math.floor(digits / divisor) % items.length] ?? items[0];
  return shadeColors(
    pick(backgrounds, 1),
    pick(cloths, 4),
    pick(skins, 24),
    pick([true, false], 72),
  );
}

function shadeColors(background: number, cloth: number, skin: number, striped: boolean): Colors {
  const floor = mix(background, ink, 0.1);
  const shade = mix(cloth, ink, 0.24);
  return {
    background,
    floor,
    shadow: mix(floor, ink, 0.18),
    hair: mix(ink, skin, 0.12),
    neck: mix(skin, ink, 0.12),
    skin,
    mouth: mix(skin, ink, 0.45),
    cloth,
    shade,
    stripe: striped ? shade : cloth,
    trousers: mix(ink, background, 0.2),
    ink,
    ribbon: ink,
    text: 0xffffff,
  };
}

function mix(one: number, other: number, share: number): number {
  const channel = (shift: number): number => {
    const from = (one >> shift) & 255;
    return Math.round(from + (((other >> shift) & 255) - from) * share) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

const dataChunks = new Map<string, Uint8Array>();

function encode(width: number, height: number, colors: Colors, comment: string): Bytes {
  const size = `${width}x${height}`;
  const base64 = stockRows[size];
  if (base64 === undefined)
    throw new RangeError(`No stock image has ${size} pixels; use the size of an output_size.`);
  let data = dataChunks.get(size);
  if (data === undefined) {
    const rows = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    data = pngChunk("IDAT", rows);
    dataChunks.set(size, data);
  }
  const palette = stockColors.map((name) => colors[name]);
  return encodeIndexed({ width, height, data, palette, comment });
}
