import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { build } from "esbuild";
import sharp from "sharp";

import { installedEngines, startEngine } from "@tryon/test-kit/browsers";
import { peakMemoryOf } from "@tryon/test-kit/peak-memory";
import { root } from "@tryon/test-kit/repository";
import type { Benchmark } from "../benchmark.ts";

const sizes = { "12 MP": [4_000, 3_000], "48 MP": [8_000, 6_000], "108 MP": [12_000, 9_000] };
const titles = { chromium: "Chromium", firefox: "Firefox", webkit: "WebKitGTK" } as const;

/** Serves a page with `prepareImage`, and photos by their name. */
async function servePhotos(folder: string) {
  const contents = `import { prepareImage } from "@tryon/client/session";
    globalThis.measure = async (name) => {
      const file = await (await fetch("/" + encodeURIComponent(name))).blob();
      const start = performance.now();
      await prepareImage(file);
      return performance.now() - start;
    };`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const person = sharp(join(root, "examples/assets/person.jpg"));
  const files = new Map<string, Uint8Array | string>([
    ["/", '<!doctype html><script type="module" src="/page.js"></script>'],
    ["/page.js", outputFiles[0]?.contents ?? ""],
  ]);
  for (const [name, [width = 0, height = 0]] of Object.entries(sizes)) {
    const photo = person.clone().resize(width, height, { fit: "fill" }).jpeg({ quality: 85 });
    files.set(`/${encodeURIComponent(name)}`, await photo.toBuffer());
  }
  const server = createServer(({ url = "" }, response) => {
    const file = files.get(url);
    const type = url === "/" ? "text/html" : url === "/page.js" ? "text/javascript" : "image/jpeg";
    response.writeHead(file === undefined ? 404 : 200, { "content-type": type }).end(file);
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  // A server on a port has this form of `address()`.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

export const photos: Benchmark = {
  name: "photos",
  title: "Photos prepared in a page",
  groups: {
    time: "Time of prepareImage (ms)",
    memory: "Growth of the browser's memory (MiB)",
  },
  async *measure({ folder }) {
    const { url, close } = await servePhotos(folder);
    try {
      for (const engine of await installedEngines())
        for (const name of Array.from({ length: 3 }, () => Object.keys(sizes)).flat()) {
          // A browser keeps memory of earlier photos.
          const browser = await startEngine(engine);
          const page = await (await browser.newContext()).newPage();
          await page.goto(url);
          await page.waitForFunction("globalThis.measure");
          const { result, growth } = await peakMemoryOf(() =>
            page.evaluate(`measure(${JSON.stringify(name)})`),
          );
          await browser.close();
          const row = `${titles[engine]}, ${name}`;
          yield { time: { [row]: Number(result) }, memory: { [row]: growth } };
        }
    } finally {
      close();
    }
  },
};
