// Uploads images through one client, and prints how much memory the first upload took at most in times the images, how long
// the later ones took in the middle, and whether every image arrived, for a sink that looks at them.
import { readFileSync } from "node:fs";

import { allImages, digestOf } from "../client/images.ts";
import { watchMemory } from "../client/peak-memory.ts";
import { uploaders } from "../client/uploaders.ts";
import { spreadOf } from "../figures.ts";

const [name = "", url = "", task = "measure", ...paths] = process.argv.slice(2);
const timed = 3;

const make = Object.entries(uploaders).find(([known]) => known === name)?.[1];
if (make === undefined) throw new Error(`There is no ${name} among the uploaders.`);
const upload = await make(url, paths);

/** What the sink has got since it was asked last. */
async function seen(): Promise<Record<string, unknown>> {
  const response = await fetch(url);
  // It is a program of this folder.
  return (await response.json()) as Record<string, unknown>;
}

// Loads what fetching takes, which is no memory of an upload.
await seen();
const peak = watchMemory();
await upload();
const memory = peak() / allImages;
const { bytes, declared, images } = await seen();
if (typeof bytes !== "number" || bytes < allImages)
  throw new Error(`Only ${String(bytes)} bytes arrived.`);
if (task === "check" && Array.isArray(images)) {
  const complete = paths.every((path) => images.includes(digestOf(readFileSync(path))));
  process.stdout.write(JSON.stringify({ complete: Number(complete), declared: Number(declared) }));
} else {
  const figures: number[] = [];
  for (let time = 0; time < timed; time += 1) {
    const begin = performance.now();
    await upload();
    figures.push(performance.now() - begin);
  }
  process.stdout.write(JSON.stringify({ memory, milliseconds: spreadOf(figures).median }));
}
// Clients that keep connections open would keep this program alive.
process.exit();
