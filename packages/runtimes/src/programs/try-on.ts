import { TryOn } from "@tryon/client";
import type { ProgramContext } from "./program-context.ts";

/** Makes one try-on of uploaded images, and downloads the result. */
export async function run({ baseUrl, apiKey }: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl });
  const person = new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)]);
  const garment = new TextEncoder().encode("GIF89a");
  const phases: string[] = [];
  const { image, receipt } = await tryon.run(
    { person, garments: [garment], output_size: "1K" },
    { onUpdate: ({ phase }) => phases.push(phase) },
  );
  const bytes = await image.bytes();
  const kind = String.fromCharCode(...bytes.subarray(1, 4));
  return [kind, receipt.credits, phases[0], phases.at(-1)];
}
