import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { build } from "esbuild";
import { onTestFinished } from "vitest";

import { startChromium, type Browser, type Page } from "@tryon/test-kit/chromium";
import { openTestPage } from "@tryon/test-kit/test-page";
import { jpegBytes } from "./bodies.ts";
import { httpServer, type ReceivedRequest } from "./http-server.ts";
import { profile } from "./service.ts";

/** The client as a page's bundler makes it: an entry, and what it imports lazily in files of their own. */
export interface Bundle {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The file with this module in it. */
  fileWith(module: string): string | undefined;
}

const nameOf = (path: string): string => path.replace(/^.*\//, "/");

/** Bundles the sources of the client for a page, where it is the global `client`. */
export async function bundleClient(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: 'import * as client from "@tryon/client"; Object.assign(globalThis, { client });',
      resolveDir: import.meta.dirname,
      sourcefile: "page.js",
    },
    conditions: ["@tryon/source"],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    outdir: "/",
    entryNames: "page",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [nameOf(path), contents])),
    fileWith: (module) => {
      const found = Object.entries(metafile.outputs).find(([, { inputs }]) =>
        Object.keys(inputs).some((path) => path.includes(module)),
      );
      return found && nameOf(found[0]);
    },
  };
}

/** Names that lead the browser to this machine, and are no loopback names. */
export const shopHost = "shop.example";
export const serviceHost = "service.example";

/** Starts a browser to which these names are known, and no others. */
export function startBrowser(): Promise<Browser> {
  const rules = [shopHost, serviceHost].map((host) => `MAP ${host} 127.0.0.1`);
  return startChromium([`--host-resolver-rules=${rules.join(",")}`]);
}

/** A request as the service got it. */
interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What code in the page gives to `new client.TryOn`. */
export interface Access {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** An empty page of another origin than the service's, with the client in it. */
interface Opened {
  readonly page: Page;
  readonly mock: Mock;
  readonly access: Access;
  /** What the service got. */
  readonly arrived: readonly Arrived[];
  /** What the page loaded of its own origin. */
  readonly loaded: readonly ReceivedRequest[];
  /** What the page wrote as an error, or asked of anybody but this machine. */
  readonly troubles: readonly string[];
}

/** The picture that the page finds at its own `/photo.jpg`. */
export const photo = jpegBytes(400_001);

const document = `<!doctype html><link rel="icon" href="data:,"><title>Page</title>
<input type="file" aria-label="Photo"><script type="module" src="/page.js"></script>`;

/** Opens the page at this host until the end of the test, beside a server over real HTTP. */
export async function openPage(
  browser: Browser,
  { files }: Bundle,
  options: MockOptions = {},
  host = "127.0.0.1",
): Promise<Opened> {
  const mock = createMock({ seed: "browser", latency: 0, profile, ...options });
  const arrived: Arrived[] = [];
  const noting: typeof mock.fetch = async (resource) => {
    // A server hands over requests.
    const request = resource as Request;
    const { method, url, headers, signal } = request;
    const bytes = new Uint8Array(await request.arrayBuffer());
    arrived.push({ method, path: new URL(url).pathname, headers, bytes });
    return mock.fetch(url, { method, headers, signal, body: bytes.length > 0 ? bytes : null });
  };
  const service = await serve({ fetch: noting });
  onTestFinished(async () => {
    await service.close();
    mock.close();
  });
  const { url, got } = await httpServer((response, { url: path = "" }) => {
    const file = path === "/" ? document : path === "/photo.jpg" ? photo : files.get(path);
    const type = path.endsWith(".js")
      ? "text/javascript"
      : file === photo
        ? "image/jpeg"
        : "text/html";
    response.writeHead(file ? 200 : 404, { "content-type": type }).end(file);
  });
  const hosts = new Set(["127.0.0.1", "localhost", shopHost, serviceHost]);
  const { page, problems: troubles } = await openTestPage(
    browser,
    ({ hostname, protocol }) => hosts.has(hostname) || protocol === "data:",
  );
  await page.goto(url.replace("127.0.0.1", host));
  await page.waitForFunction("globalThis.client");
  const access = { apiKey: mock.keys.live, baseUrl: service.url };
  return { page, mock, access, arrived, loaded: got, troubles };
}
