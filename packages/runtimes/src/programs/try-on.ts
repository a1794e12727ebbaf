import { TryOn } from "@tryon/client";
import { photo, type ProgramContext } from "./program-context.ts";

/** A GIF of one pixel. */
const gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** Makes one try-on of uploaded images, and downloads the result. */
export async function run({ baseUrl, apiKey }: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl });
  const garment = Uint8Array.from(atob(gif), (letter) => letter.charCodeAt(0));
  const phases: string[] = [];
  const { image, receipt } = await tryon.run(
    { person: photo, garments: [garment], output_size: "1K" },
    { onUpdate: ({ phase }) => phases.push(phase) },
  );
  const bytes = await image.bytes();
  const kind = String.fromCharCode(...bytes.subarray(1, 4));
  return [kind, receipt.credits, phases[0], phases.at(-1)];
}
