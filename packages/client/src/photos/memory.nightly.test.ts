import { expect, onTestFinished, test } from "vitest";

import { installedEngines, type Engine } from "@tryon/test-kit/browsers";
import { peakMemoryOf } from "@tryon/test-kit/peak-memory";
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
  for (const [name, [width, height]] of Object.entries(photos)) {
    const jpeg = await createJpeg(width, height);
    const browser = await startBrowser(engine);
    onTestFinished(() => browser.close());
    const { page } = await openPage(browser, { files: new Map([...files, ["/large.jpg", jpeg]]) });
    const { result, growth } = await peakMemoryOf(() =>
      page.evaluate(async () => {
        const file = await (await fetch("/large.jpg")).blob();
        const bitmap = await createImageBitmap(await prepareImage(file));
        return [bitmap.width, bitmap.height];
      }, undefined),
    );
    await browser.close();
    expect(result, name).toEqual([1_536, 2_048]);
    expect(growth, name).toBeLessThan(limits[engine]);
  }
});
