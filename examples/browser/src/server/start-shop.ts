import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { getRequestListener } from "@hono/node-server";

import { createShop, type ShopOptions } from "./create-shop.ts";

export interface RunningShop {
  readonly url: string;
  close(): void;
}

/** Starts the shop on this machine. Without `pages`, Vite serves the page from its sources. */
export async function startShop(options: ShopOptions, port = 0): Promise<RunningShop> {
  const server = createServer();
  const shop = getRequestListener(createShop(options).fetch);
  const vite = options.pages === undefined ? await import("vite") : undefined;
  const pages = await vite?.createServer({ server: { middlewareMode: true, hmr: { server } } });
  server.on("request", (request, response) => {
    if (pages && !request.url?.startsWith("/api/")) pages.middlewares(request, response);
    else void shop(request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // A TCP server has an `AddressInfo`.
  const address = server.address() as AddressInfo;
  return {
    // On localhost, browsers allow service workers without https.
    url: `http://localhost:${address.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
