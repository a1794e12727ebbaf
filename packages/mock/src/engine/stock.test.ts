import sharp from "sharp";
import { describe, expect, test } from "vitest";

import { renderRequest } from "../../test/recording-server.ts";
import { stockEngine } from "./stock.ts";

/** Returns the color of a pixel, at a share of the image's width and height. */
async function colorAt(png: Uint8Array, x: number, y: number): Promise<readonly number[]> {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const index =
    (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return [...data.subarray(index, index + 3)];
}

describe("a stock image", () => {
  test("shows the same figure in each size", async () => {
    const small = await stockEngine().render(renderRequest());
    const large = await stockEngine().render(renderRequest({ width: 1_536, height: 2_048 }));
    for (const [x, y] of [
      [0.02, 0.02],
      [0.5, 0.45],
      [0.5, 0.17],
    ] as const) {
      expect(await colorAt(small, x, y)).toEqual(await colorAt(large, x, y));
    }
    expect(await colorAt(small, 0.5, 0.45)).not.toEqual(await colorAt(small, 0.02, 0.02));
  });

  test("says MOCK in white on dark in each third, since a page may show only a part of it", async () => {
    const png = await stockEngine().render(renderRequest());
    const words = [86, 322, 558].map((left) =>
      sharp(png).extract({ left, top: 970, width: 126, height: 40 }).greyscale().raw().toBuffer(),
    );
    const [first = Buffer.of(), ...others] = await Promise.all(words);
    expect(Math.max(...first)).toBe(255);
    expect(Math.min(...first)).toBeLessThan(60);
    for (const other of others) {
      const different = other.filter((value, index) => value !== first[index]).length;
      expect(different / first.length).toBeLessThan(0.1);
    }
  });

  test("has the same bytes for the same request and seed, and other bytes otherwise", async () => {
    const requests = Array.from({ length: 24 }, (_, seed) => renderRequest({ seed }));
    requests.push(renderRequest({ fingerprint: "00000002" }));
    const images = new Set<string>();
    for (const one of requests) {
      const bytes = await stockEngine().render(one);
      expect(await stockEngine().render(one)).toEqual(bytes);
      images.add(Buffer.from(bytes).toString("base64"));
    }
    expect(images.size).toBe(25);
  });

  test("is rejected in other sizes", async () => {
    await expect(stockEngine().render(renderRequest({ width: 767 }))).rejects.toThrow("767x1024");
  });
});
