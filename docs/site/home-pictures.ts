import { mkdir } from "node:fs/promises";
import { openAsBlob } from "node:fs";
import { join } from "node:path";

import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { compositeEngine } from "@tryon/mock/node";
import sharp from "sharp";

import { root } from "./places.ts";

const size = { width: 480, height: 640 };

/** Draws what the first page shows: a person, a shirt, and what the reference server makes of the two. */
export async function makeHomePictures(site: string): Promise<void> {
  const into = join(site, "pictures");
  await mkdir(into, { recursive: true });
  const assets = join(root, "examples/assets");
  const person = join(assets, "person.jpg");
  const shirt = join(assets, "shirt.png");
  const mock = createMock({ engine: await compositeEngine(), latency: 0, seed: "home" });
  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const { image } = await tryon.run({
    person: await openAsBlob(person),
    garments: [await openAsBlob(shirt)],
  });
  const result = await image.bytes();
  mock.close();
  await sharp(person)
    .resize({ ...size, fit: "cover" })
    .webp()
    .toFile(join(into, "person.webp"));
  await sharp(shirt)
    .resize({ ...size, fit: "contain", background: "#ffffff00" })
    .webp()
    .toFile(join(into, "garment.webp"));
  await sharp(result)
    .resize({ ...size, fit: "cover" })
    .webp()
    .toFile(join(into, "result.webp"));
}
