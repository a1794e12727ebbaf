// Renders the first image of this process, the same image again, and a new one after 20 others.
import { stockEngine, type RenderRequest } from "@tryon/mock";

const engine = stockEngine();
const image = {
  field: "person_url",
  source: "address",
  url: "https://shop.example/me.jpg",
} as const;
const request: RenderRequest = {
  person: image,
  garments: [image],
  instruction: "",
  seed: null,
  fingerprint: "00000001",
  width: 768,
  height: 1_024,
};

async function render(seed: number): Promise<number> {
  const start = performance.now();
  await engine.render({ ...request, seed });
  return performance.now() - start;
}

const first = await render(0);
const repeated = await render(0);
for (let seed = 1; seed <= 20; seed += 1) await render(seed);
const later = await render(21);
const time = { "first image": first, "same image again": repeated, "new image after 20": later };
process.stdout.write(JSON.stringify({ time }));
