import { Canvas, mix } from "./canvas.ts";
import type { Engine, RenderRequest } from "./engine.ts";
import { lettering, lineWidth } from "./lettering.ts";
import { ellipse, roundedBox } from "./outlines.ts";
import { encodePng } from "./png.ts";
import { drawFigure, figureUnits, ink, type FigureLook } from "./stock-figure.ts";

const backgrounds = [0xf1ece4, 0xe6edf0, 0xeee8f2, 0xe9f0e6] as const;
const cloths = [0xc8553d, 0x2f6690, 0x588157, 0x8e5572, 0xd4a017, 0x355070] as const;
const skins = [0xf0c9a8, 0xc68863, 0x8d5a3b] as const;
/**
 * The engine that needs nothing: a drawn figure in drawn clothes, marked as a mock. Which of its pictures a request
 * gets depends on the request alone, so that the same request gives the same bytes everywhere; each picture is made
 * once and kept.
 */
export function stockEngine(): Engine {
  const made = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    name: "stock",
    async render(request) {
      const look = lookFor(request);
      const name = JSON.stringify([request.width, request.height, look]);
      const known = made.get(name);
      if (known !== undefined) return known;
      const bytes = draw(request.width, request.height, look);
      made.set(name, bytes);
      return bytes;
    },
  };
}

function lookFor(request: RenderRequest): FigureLook {
  const digits = (Number.parseInt(request.fingerprint.slice(0, 8), 16) || 0) + (request.seed ?? 0);
  const pick = <Item>(items: readonly [Item, ...Item[]], divisor: number): Item =>
    items[Math.floor(digits / divisor) % items.length] ?? items[0];
  return {
    background: pick(backgrounds, 1),
    cloth: pick(cloths, 4),
    skin: pick(skins, 24),
    striped: pick([true, false], 72),
  };
}

/** A figure without colours, for a person whose photo is not at hand. */
export function drawPlaceholder(width: number, height: number): Uint8Array<ArrayBuffer> {
  const look = { background: 0xe9ebf0, cloth: 0xc3c8d4, skin: 0xd9dce4, striped: false };
  return encodePng(drawScene(width, height, look));
}

function draw(width: number, height: number, look: FigureLook): Uint8Array<ArrayBuffer> {
  const canvas = drawScene(width, height, look);
  drawMark(canvas);
  return encodePng(canvas);
}

function drawScene(width: number, height: number, look: FigureLook): Canvas {
  const canvas = new Canvas(width, height, figureUnits, look.background);
  const floor = mix(look.background, ink, 0.1);
  const floorTop = 330;
  canvas.paint(
    [
      [0, floorTop],
      [300, floorTop],
      [300, 400],
      [0, 400],
    ],
    floor,
  );
  canvas.paint(ellipse([150, 370], 62, 6), mix(floor, ink, 0.18));
  drawFigure(canvas, look);
  return canvas;
}

/** Says on the picture that no model has made it. */
function drawMark(canvas: Canvas): void {
  const words = "MOCK / NOT A REAL TRY-ON";
  const square = 1;
  const left = 150 - (lineWidth(words) * square) / 2;
  canvas.paint(roundedBox(left - 8, 381, 300 - left + 8, 395, 4), ink);
  for (const outline of lettering(words, [left, 384.5], square)) canvas.paint(outline, 0xffffff);
}
