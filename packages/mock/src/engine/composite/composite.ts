import type { Sharp, SharpConstructor } from "sharp";

import type { Engine, EngineImage, RenderRequest } from "../engine.ts";
import { drawPlaceholder } from "../stock.ts";
import { cardFrame, markRibbon, placeholderCard } from "./overlays.ts";

/** Maximum number of pixels of an image that is decoded: up to 200 MB of memory. */
const maxInputPixels = 50_000_000;

/** Maximum number of concurrent renders; others wait, which bounds the memory. */
const maxConcurrentRenders = 2;

const layout = {
  cardWidth: 0.24,
  cardMargin: 0.03,
  cardPadding: 0.02,
  garmentWidth: 0.45,
  garmentTop: 0.265,
} as const;

/**
 * Creates the engine that shows the caller's images: the person's photo in the output size, the first garment on top of
 * it, each garment on a card, and a ribbon that marks it as a mock. It runs in Node and needs the package `sharp`. The
 * server responds with 400 to an image over 50 million pixels. At most 2 renders run at a time.
 *
 * @throws Error if sharp is not installed. The message has the fix.
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 * import { compositeEngine } from "@tryon/mock/node";
 *
 * const mock = createMock({ engine: await compositeEngine() });
 * ```
 */
export async function compositeEngine(): Promise<Engine> {
  const sharp = await loadSharp();
  const limited = limitConcurrency(maxConcurrentRenders);
  return {
    name: "composite",
    imageProblem: (image) => imageProblem(sharp, image),
    render: (request) => limited(() => compose(sharp, request)),
  };
}

function limitConcurrency(max: number) {
  let free = max;
  const waiting: (() => void)[] = [];
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** Checks the header of an image. If it is unreadable, the job fails later. */
async function imageProblem(
  sharp: SharpConstructor,
  image: EngineImage,
): Promise<string | undefined> {
  if (!isDecodable(image)) return undefined;
  const header = sharp(image.bytes(), { limitInputPixels: false }).metadata();
  const { width, height } = await header.catch(() => ({ width: 0, height: 0 }));
  if (width * height <= maxInputPixels) return undefined;
  return `image too large: ${width} × ${height} pixels, the maximum is ${maxInputPixels}.`;
}

async function loadSharp(): Promise<SharpConstructor> {
  try {
    return (await import("sharp")).default;
  } catch (error) {
    throw new Error(
      "The composite engine needs the package sharp; run npm install sharp, or use the stock engine.",
      { cause: error },
    );
  }
}

async function compose(
  sharp: SharpConstructor,
  request: RenderRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, person, garments } = request;
  const photo = await personLayer(sharp, person, width, height);
  const layers = [];
  const first = garments[0];
  if (first !== undefined && isDecodable(first)) {
    const size = Math.round(width * layout.garmentWidth);
    const garment = fitted(sharp, first, size, size, "contain");
    layers.push({
      input: await toPng(garment),
      left: Math.round((width - size) / 2),
      top: Math.round(width * layout.garmentTop),
    });
  }
  for (const [index, garment] of garments.entries()) {
    const side = Math.round(width * layout.cardWidth);
    const margin = Math.round(width * layout.cardMargin);
    layers.push({
      input: await garmentCard(sharp, garment, index + 1, side),
      left: width - side - margin,
      top: margin + index * (side + margin),
    });
  }
  layers.push({ input: Buffer.from(markRibbon(width)), gravity: "south" });
  return new Uint8Array(await toPng(sharp(photo).composite(layers).removeAlpha()));
}

async function personLayer(
  sharp: SharpConstructor,
  person: EngineImage,
  width: number,
  height: number,
): Promise<Buffer> {
  if (!isDecodable(person)) {
    const margin = Math.round(width * 2 * layout.cardMargin);
    const card = placeholderCard(Math.round(width * 0.3), "PERSON", person);
    const layer = { input: Buffer.from(card), left: margin, top: margin };
    return toPng(sharp(drawPlaceholder(width, height)).composite([layer]));
  }
  const photo = await toPng(fitted(sharp, person, width, height, "inside"));
  const small = fitted(sharp, person, width / 8, height / 8, "cover");
  const backdrop = await toPng(small.flatten({ background: "#fff" }).blur(12));
  const layers = [{ input: photo }];
  return toPng(sharp(backdrop).resize(width, height, { fit: "fill" }).composite(layers));
}

async function garmentCard(
  sharp: SharpConstructor,
  garment: EngineImage,
  number: number,
  side: number,
): Promise<Buffer> {
  const title = `GARMENT ${number}`;
  if (!isDecodable(garment)) {
    return toPng(sharp(Buffer.from(placeholderCard(side, title, garment))));
  }
  const inner = Math.round(side * (1 - 6 * layout.cardPadding));
  const image = await toPng(fitted(sharp, garment, inner, inner, "inside"));
  return toPng(sharp(Buffer.from(cardFrame(side))).composite([{ input: image }]));
}

function fitted(
  sharp: SharpConstructor,
  image: DecodableImage,
  width: number,
  height: number,
  fit: "inside" | "contain" | "cover",
): Sharp {
  return sharp(image.bytes(), { failOn: "error", limitInputPixels: maxInputPixels })
    .autoOrient()
    .resize(Math.round(width), Math.round(height), { fit, background: "#0000" });
}

function toPng(image: Sharp): Promise<Buffer> {
  return image.png().toBuffer();
}

type DecodableImage = Extract<EngineImage, { source: "bytes" }>;

/** Returns false for HEIC too, which the default builds of sharp cannot decode. */
function isDecodable(image: EngineImage): image is DecodableImage {
  return image.source === "bytes" && image.mediaType !== "image/heic";
}
