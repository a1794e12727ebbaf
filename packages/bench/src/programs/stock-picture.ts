// Has the stock engine make the first picture of this process, the same again, and another one; prints how long each took.
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
  const begin = performance.now();
  await engine.render({ ...request, seed });
  return performance.now() - begin;
}

const first = await render(0);
const again = await render(0);
// Others, until the compilers have seen all there is to see.
for (let seed = 1; seed < 20; seed += 1) await render(seed);
const later = await render(20);
process.stdout.write(JSON.stringify({ first, again, later }));
