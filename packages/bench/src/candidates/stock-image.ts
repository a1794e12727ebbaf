import { stockEngine, type RenderRequest } from "@tryon/mock";

/** Renders the first image of this process, the same image again, and a new one after 20 others. */
export async function renderStockImages() {
  const engine = stockEngine();
  const url = "https://shop.example/me.jpg";
  const image = { field: "person_url", source: "address", url } as const;
  const size = { width: 768, height: 1_024 };
  const input = { person: image, garments: [image], instruction: "", fingerprint: "00000001" };
  const render = async (seed: number): Promise<number> => {
    const request: RenderRequest = { ...size, ...input, seed };
    const start = performance.now();
    await engine.render(request);
    return performance.now() - start;
  };
  const first = await render(0);
  const repeated = await render(0);
  for (let seed = 1; seed <= 20; seed += 1) await render(seed);
  const later = await render(21);
  return { "first image": first, "same image again": repeated, "new image after 20": later };
}
