import type { Engine, EngineImage, RenderRequest } from "@tryon/mock";

/** Image engine for pages: draws the garments over the photo. A real model would dress the person. */
export const canvasEngine: Engine = { name: "canvas", render };

/** Center, top and width of each garment, as shares of the width. */
const areas = [
  { center: 0.5, top: 0.265, width: 0.45 },
  { center: 0.85, top: 0.04, width: 0.26 },
  { center: 0.85, top: 0.34, width: 0.26 },
] as const;

async function render(request: RenderRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, person, garments } = request;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser does not support 2D canvases.");
  context.fillStyle = "#e9e4dc";
  context.fillRect(0, 0, width, height);
  const photo = await decode(person);
  const scale = Math.min(width / photo.width, height / photo.height);
  const [w, h] = [photo.width * scale, photo.height * scale];
  context.drawImage(photo, (width - w) / 2, (height - h) / 2, w, h);
  for (const [index, garment] of garments.entries()) {
    const area = areas[index];
    if (area === undefined) break;
    const image = await decode(garment);
    const size = area.width * width;
    const left = area.center * width - size / 2;
    context.drawImage(image, left, area.top * width, size, (size * image.height) / image.width);
  }
  drawLabel(context, width, height);
  const png = await canvas.convertToBlob({ type: "image/png" });
  return new Uint8Array(await png.arrayBuffer());
}

function decode(image: EngineImage): Promise<ImageBitmap> {
  if (image.source === "url") throw new Error(`${image.field} is a URL. Send a file instead.`);
  return createImageBitmap(new Blob([image.bytes()], { type: image.mediaType }));
}

function drawLabel(context: OffscreenCanvasRenderingContext2D, width: number, height: number) {
  const band = height * 0.04;
  context.fillStyle = "#1f1a17cc";
  context.fillRect(0, height - band, width, band);
  context.fillStyle = "#fff";
  context.font = `${band * 0.5}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText("Made by the mock, not by a model", width / 2, height - band / 2);
}
