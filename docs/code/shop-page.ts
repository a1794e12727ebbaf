import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { startChromium, type Page } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { listen } from "@tryon/test-kit/listen";
import { chargesOf } from "@tryon/test-kit/serve-mock";
import { build } from "esbuild";
import { expect, onTestFinished } from "vitest";

import type { CheckContext } from "./checks.ts";

export const hasChromium = await isInstalled("chromium");

const html = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title>
<input type="file"><output></output><button>Try it on</button><img alt=""><main></main>
<script type="module" src="/page.js"></script>`;

/** Opens a page of a shop that runs the code of a guide and then `main`. `charges` counts its try-ons. */
export async function openPage({ snippet, mock, server, app }: CheckContext, main: string) {
  const { outputFiles } = await build({
    stdin: { contents: `${snippet.code}\n${main}`, resolveDir: app.folder, loader: "tsx" },
    conditions: ["@tryon/source"],
    jsx: "automatic",
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
  });
  const { token } = await mock.createKey({ credits: 100 });
  const access = { apiKey: token, baseUrl: server.url };
  const proxy = toNodeHandler(createProxy({ ...access, authorize: () => ({ id: "ada" }) }));
  const photo = await readFile(app.path("me.jpg"));
  const shop = createServer((incoming, outgoing) => {
    const { url = "" } = incoming;
    if (url.startsWith("/api/tryon/")) return proxy(incoming, outgoing);
    const [type, body] =
      url === "/page.js"
        ? ["text/javascript", outputFiles[0]?.contents]
        : url === "/me.jpg"
          ? ["image/jpeg", photo]
          : ["text/html", html];
    return outgoing.writeHead(200, { "content-type": type }).end(body);
  });
  const url = await listen(shop);
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  return { page, charges: async () => (await chargesOf(mock, token)).length };
}

export const untilShown = (page: Page, image: string): Promise<void> =>
  expect
    .poll(() =>
      page
        .locator(image)
        .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth)),
    )
    .toEqual([768]);
