import type { EngineImage } from "../engine.ts";
import { drawText, lineWidth } from "./lettering.ts";

const ink = "#2b2d42";

export function markRibbon(width: number): string {
  // A page that compares the image with the photo shows only a part of it.
  const text = "MOCK IMAGE / MOCK IMAGE / MOCK IMAGE";
  const height = Math.round(width * 0.055);
  const square = (width * 0.75) / lineWidth(text);
  const left = (width - lineWidth(text) * square) / 2;
  const line = drawText(text, left, (height - 7 * square) / 2, square, "#fff");
  const ribbon = `<rect width="100%" height="100%" fill="${ink}" fill-opacity=".82"/>`;
  return svg(width, height, ribbon + line);
}

export function cardFrame(side: number): string {
  const radius = side * 0.06;
  const card = `<rect x="1" y="1" width="${side - 2}" height="${side - 2}" rx="${radius}" fill="#fff" fill-opacity=".92" stroke="${ink}" stroke-opacity=".25" stroke-width="2"/>`;
  return svg(side, side, card);
}

export function placeholderCard(side: number, title: string, image: EngineImage): string {
  const lines =
    image.source === "url"
      ? [title, "NOT FETCHED", shorten(new URL(image.url).hostname)]
      : [title, "NOT DECODED", image.mediaType];
  const square = side / 140;
  const text = lines.map((line, index) => {
    const left = (side - lineWidth(line) * square) / 2;
    return drawText(line, left, side / 2 + (index * 12 - 16) * square, square, ink);
  });
  const card = `<rect x="2" y="2" width="${side - 4}" height="${side - 4}" rx="${side * 0.06}" fill="#eef0f4" stroke="${ink}" stroke-width="2" stroke-dasharray="8 6"/>`;
  return svg(side, side, card + text.join(""));
}

function shorten(hostname: string): string {
  return hostname.length <= 21 ? hostname : `${hostname.slice(0, 19)}..`;
}

function svg(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
}
