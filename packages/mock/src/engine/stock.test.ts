import sharp from "sharp";
import { describe, expect, test } from "vitest";

import type { RenderRequest } from "./engine.ts";
import { pngSize } from "./png.ts";
import { stockEngine } from "./stock.ts";

function request(fields: Partial<RenderRequest> = {}): RenderRequest {
  const image = { field: "person_url", source: "address", url: "https://a.example/p.png" } as const;
  return {
    person: image,
    garments: [image],
    instruction: "",
    seed: null,
    fingerprint: "00000001",
    width: 768,
    height: 1_024,
    ...fields,
  };
}

/** The colour of a pixel, at a share of the picture's width and height. */
async function colourAt(png: Uint8Array, x: number, y: number): Promise<readonly number[]> {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const index =
    (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return [...data.subarray(index, index + 3)];
}

describe("a stock picture", () => {
  test.each([
    [768, 1_024],
    [1_536, 2_048],
    [3_072, 4_096],
  ])("is a PNG of %i × %i pixels that others can decode", async (width, height) => {
    const png = await stockEngine().render(request({ width, height }));
    expect(pngSize(png)).toEqual({ width, height });
    const decoded = await sharp(png, { failOn: "warning" })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(decoded.info).toMatchObject({ width, height });
  });

  test("shows a figure in clothes before a background, whatever the size", async () => {
    const small = await stockEngine().render(request());
    const large = await stockEngine().render(request({ width: 1_536, height: 2_048 }));
    for (const [x, y] of [
      [0.02, 0.02],
      [0.5, 0.45],
      [0.5, 0.17],
    ] as const) {
      expect(await colourAt(small, x, y)).toEqual(await colourAt(large, x, y));
    }
    expect(await colourAt(small, 0.5, 0.45)).not.toEqual(await colourAt(small, 0.02, 0.02));
  });

  test("says in white on dark that it is a mock", async () => {
    const png = await stockEngine().render(request());
    const band = await sharp(png)
      .extract({ left: 200, top: 985, width: 368, height: 16 })
      .greyscale()
      .stats();
    expect(band.channels[0]).toMatchObject({ max: 255 });
    expect(band.channels[0]?.min).toBeLessThan(60);
  });

  test("is the same for the same request, on every engine", async () => {
    const bytes = await stockEngine().render(request({ seed: 5 }));
    expect(await stockEngine().render(request({ seed: 5 }))).toEqual(bytes);
  });

  test("has many looks, chosen by request and seed", async () => {
    const engine = stockEngine();
    const pictures = new Set<string>();
    for (let seed = 0; seed < 24; seed += 1) {
      pictures.add(Buffer.from(await engine.render(request({ seed }))).toString("base64"));
    }
    expect(pictures.size).toBe(24);
    const other = await engine.render(request({ fingerprint: "00000002" }));
    expect(other).toEqual(await engine.render(request({ fingerprint: "00000001", seed: 1 })));
  });
});
