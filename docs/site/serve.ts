import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};

export interface ServedSite {
  /** Ends in a slash. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Shows a built site on this machine alone.
 *
 * @param base where the site begins below the host, with a slash at both ends.
 */
export async function serveSite(site: string, port = 0, base = "/"): Promise<ServedSite> {
  const server = createServer((request, response) => {
    find(site, base, request.url ?? "/").then(
      ({ type, bytes }) => response.setHeader("content-type", type).end(bytes),
      () => response.writeHead(404).end("There is no such page.\n"),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  // A server that listens on a port has an address of this form.
  const { port: used } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${used}${base}`, close: () => closed(server) };
}

/** @throws Error for what is no path, leads out of the site or is not there. */
async function find(site: string, base: string, url: string) {
  const { pathname } = new URL(url, "http://localhost");
  const inside = pathname.startsWith(base) ? pathname.slice(base.length) : "..";
  const path = normalize(decodeURIComponent(inside));
  if (path.startsWith("..")) throw new Error(`${url} is no page of the site.`);
  const file = path === "." || path.endsWith("/") ? join(path, "index.html") : path;
  return { type: types[extname(file)] ?? "", bytes: await readFile(join(site, file)) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
