import type { EngineImage } from "../engine.ts";
import { lettering, lineWidth } from "../lettering.ts";

const ink = "#2b2d42";

/** Says along the lower edge that no model has made the picture. */
export function markRibbon(width: number): string {
  const words = "MOCK / NOT A REAL TRY-ON";
  const height = Math.round(width * 0.055);
  const square = (width * 0.5) / lineWidth(words);
  const left = (width - lineWidth(words) * square) / 2;
  const line = written(words, left, (height - 7 * square) / 2, square, "#fff");
  return svg(
    width,
    height,
    `<rect width="100%" height="100%" fill="${ink}" fill-opacity=".82"/>${line}`,
  );
}

/** The card that a garment is shown on. */
export function cardFrame(side: number): string {
  const radius = side * 0.06;
  return svg(
    side,
    side,
    `<rect x="1" y="1" width="${side - 2}" height="${side - 2}" rx="${radius}" fill="#fff" fill-opacity=".92" stroke="${ink}" stroke-opacity=".25" stroke-width="2"/>`,
  );
}

/** Stands in for a picture that there are no bytes of, or none that can be decoded. */
export function placeholderCard(card: {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly source: EngineImage;
}): string {
  const { width, height, title, source } = card;
  const isAddress = source.source === "address";
  const lines = [
    title,
    isAddress ? "NOT FETCHED" : "NOT DECODED",
    isAddress ? shortened(new URL(source.url).hostname) : source.mediaType,
  ];
  const square = width / 150;
  const top = height / 2 - lines.length * 6 * square;
  const text = lines.map((line, index) => {
    const left = (width - lineWidth(line) * square) / 2;
    return written(line, left, top + index * 12 * square, square, ink);
  });
  const radius = Math.min(width, height) * 0.06;
  return svg(
    width,
    height,
    `<rect width="100%" height="100%" rx="${title === "PERSON" ? 0 : radius}" fill="#dfe3ea"/>${text.join("")}`,
  );
}

function shortened(hostname: string): string {
  return hostname.length <= 22 ? hostname : `${hostname.slice(0, 20)}..`;
}

/** Letters as outlines, so that the picture does not depend on the fonts of the machine. */
function written(text: string, left: number, top: number, square: number, colour: string): string {
  const path = lettering(text, [left, top], square)
    .map((outline) => `M${outline.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}Z`)
    .join("");
  return `<path d="${path}" fill="${colour}"/>`;
}

function svg(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
}
