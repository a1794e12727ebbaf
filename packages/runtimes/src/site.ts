import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

import type * as Node from "@tryon/client/node";
import type * as Proxy from "@tryon/client/proxy";

import type { Installation } from "./installation.ts";

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a folder and, under `/api/tryon`, the proxy of the packed package with one fixed user. */
export async function serveSite(
  { app }: Installation,
  folder: string,
  access: { readonly baseUrl: string; readonly apiKey: string },
): Promise<Site> {
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
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
