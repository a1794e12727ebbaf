import type { Engine, EngineImage, RenderRequest } from "@tryon/mock";

/** An engine for pages: the person's photo with the garments laid over it. A model would dress the person. */
export const canvasEngine: Engine = { name: "canvas", render };

/** Where garments are put, in shares of the width: the middle and the top of each, and how wide it is. */
const places = [
  { middle: 0.5, top: 0.265, width: 0.45 },
  { middle: 0.85, top: 0.04, width: 0.26 },
  { middle: 0.85, top: 0.34, width: 0.26 },
] as const;

async function render(request: RenderRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, person, garments } = request;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser cannot draw.");
  context.fillStyle = "#e9e4dc";
  context.fillRect(0, 0, width, height);
  const photo = await bitmapOf(person);
  const scale = Math.min(width / photo.width, height / photo.height);
  const [across, down] = [photo.width * scale, photo.height * scale];
  context.drawImage(photo, (width - across) / 2, (height - down) / 2, across, down);
  for (const [index, place] of places.entries()) {
    const garment = garments[index];
    if (garment === undefined) break;
    const cloth = await bitmapOf(garment);
    const breadth = place.width * width;
    const left = place.middle * width - breadth / 2;
    context.drawImage(
      cloth,
      left,
      place.top * width,
      breadth,
      (breadth * cloth.height) / cloth.width,
    );
  }
  label(context, width, height);
  const png = await canvas.convertToBlob({ type: "image/png" });
  return new Uint8Array(await png.arrayBuffer());
}

function bitmapOf(image: EngineImage): Promise<ImageBitmap> {
  if (image.source === "address")
    throw new Error(`${image.field} is an address, and only files are drawn.`);
  return createImageBitmap(new Blob([image.bytes()], { type: image.mediaType }));
}

/** Says on the picture that no model has made it. */
function label(context: OffscreenCanvasRenderingContext2D, width: number, height: number): void {
  const band = height * 0.04;
  context.fillStyle = "#1f1a17cc";
  context.fillRect(0, height - band, width, band);
  context.fillStyle = "#fff";
  context.font = `${band * 0.5}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText("Made by the mock, not by a model", width / 2, height - band / 2);
}
