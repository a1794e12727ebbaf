import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { build, type BuildOptions } from "esbuild";
import { onTestFinished } from "vitest";

import {
  startEngine,
  type Browser,
  type Engine,
  type StartOptions,
} from "@tryon/test-kit/browsers";
import { openTestPage } from "@tryon/test-kit/test-page";
import { jpegBytes } from "./bodies.ts";
import { httpServer } from "./http-server.ts";
import { profile } from "./service.ts";

/** Files of the client for a page, by path. */
export interface Bundle {
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Bundles the sources of the client for a page, which loads parts later. There it is the global `client`, with `prepareImage` beside it. */
export async function bundleClient(): Promise<Bundle> {
  const script = `import * as client from "@tryon/client";
    import { prepareImage } from "@tryon/client/session";
    Object.assign(globalThis, { client, prepareImage });`;
  const outputs = await bundle(script, {
    minify: true,
    splitting: true,
    outdir: "/",
    entryNames: "page",
  });
  return { files: new Map(outputs.map(({ path, contents }) => [path, contents])) };
}

/** Bundles the script of a page with the sources that it imports into one file. */
export async function bundlePage(script: string, options: BuildOptions = {}): Promise<Uint8Array> {
  const [file] = await bundle(script, options);
  return file?.contents ?? new Uint8Array();
}

async function bundle(script: string, options: BuildOptions) {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname, sourcefile: "page.js" },
    conditions: ["@tryon/source"],
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
    ...options,
    write: false,
  });
  return outputFiles;
}

/** Host names that the browser resolves to this machine, other than loopback names. */
export const shopHost = "shop.example";
export const serviceHost = "service.example";

/** Starts a browser that resolves these names. */
export function startBrowser(engine: Engine, options?: StartOptions): Promise<Browser> {
  return startEngine(engine, { hosts: [shopHost, serviceHost], ...options });
}

interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Access {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** Image that the page serves as `/photo.jpg`. */
export const photo = jpegBytes(400_001);

const document = `<!doctype html><link rel="icon" href="data:,"><title>Page</title>
<input type="file" aria-label="Photo"><script type="module" src="/page.js"></script>`;

/**
 * Opens a page of another origin than the service, with the client in it, and serves the reference server over HTTP,
 * until the end of the test. Problems are errors in the console, and requests to other hosts.
 */
export async function openPage(
  browser: Browser,
  { files }: Bundle,
  options: MockOptions = {},
  host = "127.0.0.1",
) {
  const mock = createMock({ seed: "browser", latency: 0, profile, ...options });
  const arrived: Arrived[] = [];
  const recording: typeof mock.fetch = async (resource) => {
    // A server passes requests.
    const request = resource as Request;
    const { method, url, headers, signal } = request;
    const bytes = new Uint8Array(await request.arrayBuffer());
    arrived.push({ method, path: new URL(url).pathname, headers, bytes });
    return mock.fetch(url, { method, headers, signal, body: bytes.length > 0 ? bytes : null });
  };
  const service = await serve({ fetch: recording });
  onTestFinished(async () => {
    await service.close();
    mock.close();
  });
  const { url } = await httpServer((response, { url: path = "" }) => {
    const file = path === "/" ? document : path === "/photo.jpg" ? photo : files.get(path);
    const type = path.endsWith(".js")
      ? "text/javascript"
      : path.endsWith(".jpg")
        ? "image/jpeg"
        : "text/html";
    response.writeHead(file ? 200 : 404, { "content-type": type }).end(file);
  });
  const hosts = new Set(["127.0.0.1", "localhost", shopHost, serviceHost]);
  const { page, problems } = await openTestPage(
    browser,
    ({ hostname, protocol }) => hosts.has(hostname) || protocol === "data:",
  );
  await page.goto(url.replace("127.0.0.1", host));
  await page.waitForFunction("globalThis.client");
  const access = { apiKey: mock.keys.live, baseUrl: service.url };
  return { page, mock, access, arrived, problems };
}
