import { readdir, readFile } from "node:fs/promises";

import { expect, onTestFinished, test } from "vitest";

import { installedEngines, type Engine } from "@tryon/test-kit/browsers";
import { bundleClient, openPage, startBrowser } from "../../test/browser.ts";
import { createPhoto, exif, segment, withSegments } from "../../test/photos.ts";
import type * as Images from "../session/index.ts";

/** In the page, where callbacks of `page.evaluate` run. */
declare const prepareImage: typeof Images.prepareImage;

const engines = await installedEngines();
const photos = {
  "12 MP": [4_000, 3_000],
  "48 MP": [8_000, 6_000],
  "108 MP": [12_000, 9_000],
} as const;
/** Maximum growth of the memory in MiB. WebKit has no decoder that scales: it decodes and copies all pixels. */
const limits: Readonly<Record<Engine, number>> = { chromium: 300, firefox: 300, webkit: 1_100 };

/** Returns the memory of all programs that this process started, in MiB. Shared memory counts once. */
async function memoryOfPrograms(): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const [, parent] = /\) \w (\d+)/.exec(stat) ?? [];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOwn = (id: number | undefined): boolean =>
    id !== undefined && (parents.get(id) === process.pid || isOwn(parents.get(id)));
  let memory = 0;
  for (const id of parents.keys()) {
    if (!isOwn(id)) continue;
    const rollup = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
    memory += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1_024;
  }
  return memory;
}

/** Creates each photo once. */
const created = new Map<number, Promise<Buffer>>();
function createJpeg(width: number, height: number): Promise<Buffer> {
  const pixels = createPhoto().resize(width, height, { fit: "fill" }).jpeg({ quality: 85 });
  const jpeg =
    created.get(width) ??
    pixels.toBuffer().then((bytes) => withSegments(bytes, segment(0xe1, exif(6))));
  created.set(width, jpeg);
  return jpeg;
}

test.each(engines)("%s prepares large photos in limited memory", async (engine) => {
  const { files } = await bundleClient();
  const rows: string[] = [];
  for (const [name, [width, height]] of Object.entries(photos)) {
    const jpeg = await createJpeg(width, height);
    const browser = await startBrowser(engine);
    onTestFinished(() => browser.close());
    const { page } = await openPage(browser, { files: new Map([...files, ["/large.jpg", jpeg]]) });
    const before = await memoryOfPrograms();
    let peak = 0;
    const done = new AbortController();
    const measured = (async () => {
      while (!done.signal.aborted) peak = Math.max(peak, await memoryOfPrograms());
    })();
    const prepared = await page
      .evaluate(async () => {
        const file = await (await fetch("/large.jpg")).blob();
        const start = performance.now();
        const image = await prepareImage(file);
        const time = performance.now() - start;
        const bitmap = await createImageBitmap(image);
        return { time, sides: [bitmap.width, bitmap.height] };
      }, undefined)
      .finally(() => done.abort());
    await measured;
    await browser.close();
    const growth = Math.round(peak - before);
    rows.push(`${engine} ${name}: ${Math.round(prepared.time)} ms, ${growth} MiB`);
    expect(prepared.sides).toEqual([1_536, 2_048]);
    expect(growth).toBeLessThan(limits[engine]);
  }
  process.stdout.write(`${rows.join("\n")}\n`);
});
