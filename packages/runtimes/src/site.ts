import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

import type * as Node from "@tryon/client/node";
import type * as Proxy from "@tryon/client/proxy";

import { startListening, type Listening } from "@tryon/test-kit/listen";

import type { Installation } from "./installation.ts";

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

/** Serves a folder and, under `/api/tryon`, the proxy of the packed package with one fixed user. */
export async function serveSite(
  { app }: Installation,
  folder: string,
  access: { readonly baseUrl: string; readonly apiKey: string },
): Promise<Listening> {
  const packed = (entry: string): Promise<unknown> =>
    import(pathToFileURL(join(app, "node_modules/@tryon/client/dist", entry)).href);
  // The packed files are built from the sources that have these types.
  const { createProxy } = (await packed("proxy.js")) as typeof Proxy;
  const { toNodeHandler } = (await packed("node.js")) as typeof Node;
  const proxy = toNodeHandler(createProxy({ ...access, authorize: () => ({ id: "ada" }) }));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://site");
    if (pathname.startsWith("/api/tryon/")) {
      proxy(request, response);
      return;
    }
    const path = pathname === "/" ? "/index.html" : pathname;
    readFile(join(folder, path)).then(
      (content) =>
        response.setHeader("content-type", types[extname(path)] ?? "text/plain").end(content),
      () => response.writeHead(404).end(),
    );
  });
  return startListening(server);
}
