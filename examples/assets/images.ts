import { join } from "node:path";
import sharp, { type Sharp } from "sharp";

/** Image of several drawings, one over the other, in one file. */
export interface Picture {
  file: string;
  format: "jpeg" | "png" | "webp";
  width: number;
  height: number;
  /** Garments have no background. */
  transparent: boolean;
  layers: readonly [string, ...string[]];
}

export const images: readonly Picture[] = [
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

function garment(file: string, format: "png" | "webp", layer: string): Picture {
  return { file, format, width: 800, height: 800, transparent: true, layers: [layer] };
}

/** Draws every image into a folder. The drawings have no text, so fonts of the machine do not matter. */
export async function drawAll(folder: string): Promise<void> {
  for (const image of images) await draw(image, folder);
}

async function draw(image: Picture, folder: string): Promise<void> {
  const [ground, ...above] = image.layers.map(drawing);
  const drawn = sharp(ground).composite(above.map((input) => ({ input })));
  await encoded(drawn, image.format).toFile(join(folder, image.file));
}

function encoded(drawn: Sharp, format: Picture["format"]): Sharp {
  if (format === "png") {
    return drawn.png({ palette: true, quality: 100, effort: 8, compressionLevel: 9 });
  }
  if (format === "webp") return drawn.webp({ quality: 90, alphaQuality: 100, effort: 4 });
  return drawn.flatten({ background: "#ffffff" }).jpeg({ quality: 90, chromaSubsampling: "4:4:4" });
}

function drawing(name: string): string {
  return join(import.meta.dirname, "drawings", name);
}
