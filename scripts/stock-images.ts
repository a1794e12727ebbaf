import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

export const stockImagesFile = "packages/mock/src/generated/stock-images.ts";

/**
 * Rasterizes stock.svg at each output size, with one palette index for each color of its style element, in that order.
 *
 * @returns the text of the generated module, or `previous` if it is of the same SVG: rasterizers differ between platforms.
 */
export async function stockImages(root: string, previous: string | undefined): Promise<string> {
  const svg = readFileSync(join(root, "packages/mock/src/engine/stock.svg"), "utf8");
  const notice = `// Generated from stock.svg at 1K (${createHash("sha256").update(svg).digest("hex").slice(0, 16)}) by \`npm run generate\`. Do not edit.\n`;
  if (previous?.startsWith(notice)) return previous;
  const { default: sharp } = await import("sharp");
  const rules = [...svg.matchAll(/\.(\w+) \{ (?:fill: none; stroke|fill): #([0-9a-f]+)/g)];
  const indexes = new Map(
    rules.map(([, , color = ""], index) => {
      const digits = color.length === 3 ? color.replace(/./g, "$&$&") : color;
      return [Number.parseInt(digits, 16), index];
    }),
  );
  const images: string[] = [];
  for (const width of [768, 1_536, 3_072]) {
    const height = (width / 3) * 4;
    // Larger images repeat the pixels of the smallest, which makes them a third of the size.
    const sized = svg.replace(
      "<svg ",
      '<svg width="768" height="1024" shape-rendering="crispEdges" ',
    );
    const pixels = await sharp(await sharp(Buffer.from(sized)).removeAlpha().png().toBuffer())
      .resize(width, height, { kernel: "nearest" })
      .raw()
      .toBuffer();
    images.push(
      `  "${width}x${height}":\n    "${compress(pixels, width, indexes).toString("base64")}",\n`,
    );
  }
  const names = rules.map(([, name]) => `"${name}"`).join(", ");
  return `${notice}
/** Parts of the image, in the order of their palette indexes. */
export const stockColors = [${names}] as const;

/** Compressed rows of 4-bit palette indexes in base64, by size in pixels: the data of the IDAT chunk of a PNG. */
export const stockRows: Readonly<Record<string, string>> = {
${images.join("")}};
`;
}

/** Filter type Up (W3C PNG specification, section 9.2), which suits flat areas. */
const filterUp = 2;

function compress(pixels: Buffer, width: number, indexes: ReadonlyMap<number, number>): Buffer {
  const indexAt = (pixel: number): number => {
    const index = indexes.get(pixels.readUIntBE(3 * pixel, 3));
    if (index === undefined) throw new Error("stock.svg has a color without a class.");
    return index;
  };
  const rowBytes = width / 2;
  const height = pixels.length / 3 / width;
  const rows = Buffer.alloc((rowBytes + 1) * height, filterUp);
  let above = new Uint8Array(rowBytes);
  for (let row = 0; row < height; row += 1) {
    const packed = Uint8Array.from({ length: rowBytes }, (_, byte) => {
      const pixel = row * width + 2 * byte;
      return (indexAt(pixel) << 4) | indexAt(pixel + 1);
    });
    const start = row * (rowBytes + 1) + 1;
    packed.forEach((byte, at) => (rows[start + at] = byte - (above[at] ?? 0)));
    above = packed;
  }
  return deflateSync(rows, { level: 9 });
}
