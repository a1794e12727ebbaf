import { join } from "node:path";
import sharp, { type Sharp } from "sharp";

/** Image file of several drawings, one over the other. */
export interface ImageFile {
  file: string;
  format: "jpeg" | "png" | "webp";
  width: number;
  height: number;
  /** Garments have no background. */
  transparent: boolean;
  layers: readonly [string, ...string[]];
}

export const images: readonly ImageFile[] = [
  {
    file: "person.jpg",
    format: "jpeg",
    width: 900,
    height: 1200,
    transparent: false,
    layers: ["person-room.svg", "person-body.svg", "person-head.svg"],
  },
  garment("shirt.png", "png", "shirt.svg"),
  garment("jacket.webp", "webp", "jacket.svg"),
  garment("hat.png", "png", "hat.svg"),
];

function garment(file: string, format: "png" | "webp", layer: string): ImageFile {
  return { file, format, width: 800, height: 800, transparent: true, layers: [layer] };
}

/** Folders of examples with small copies of the images, so that each example runs where it was copied to. */
export const copies: Readonly<Record<string, readonly string[]>> = {
  "node/images": ["person.jpg", "shirt.png"],
  "quickstart/images": ["person.jpg", "shirt.png", "jacket.webp"],
  "browser/images": ["person.jpg", "shirt.png", "jacket.webp", "hat.png"],
};

/** Draws every image into a folder. The drawings have no text, so fonts of the machine do not matter. */
export async function drawAll(folder: string): Promise<void> {
  for (const image of images) await draw(image, folder);
}

/** Returns a copy of a drawn image with 65 % of its sides, which is large enough for a try-on. */
export async function smallCopy(path: string): Promise<Buffer> {
  const { width } = await sharp(path).metadata();
  const small = sharp(path).resize({ width: width * 0.65 });
  if (path.endsWith(".png")) return small.png({ palette: true, colours: 64, effort: 7 }).toBuffer();
  if (path.endsWith(".webp")) return small.webp({ quality: 75 }).toBuffer();
  return small.jpeg({ quality: 75, mozjpeg: true }).toBuffer();
}

async function draw(image: ImageFile, folder: string): Promise<void> {
  const [ground, ...above] = image.layers.map(drawing);
  const drawn = sharp(ground).composite(above.map((input) => ({ input })));
  await encoded(drawn, image.format).toFile(join(folder, image.file));
}

function encoded(drawn: Sharp, format: ImageFile["format"]): Sharp {
  if (format === "png") {
    return drawn.png({ palette: true, quality: 100, effort: 8, compressionLevel: 9 });
  }
  if (format === "webp") return drawn.webp({ quality: 90, alphaQuality: 100, effort: 4 });
  return drawn.flatten({ background: "#ffffff" }).jpeg({ quality: 90, chromaSubsampling: "4:4:4" });
}

function drawing(name: string): string {
  return join(import.meta.dirname, "drawings", name);
}
