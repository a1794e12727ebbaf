import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { getRequestListener } from "@hono/node-server";

import { createShop, type ShopOptions } from "./shop.ts";

export interface RunningShop {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the pages in place of the built ones, on the same server: for development. */
export type Pages = (server: Server) => Promise<RequestListener>;

/** Lets the shop listen on this machine. */
export async function startShop(
  options: ShopOptions,
  port = 0,
  pages?: Pages,
): Promise<RunningShop> {
  const shop = getRequestListener(createShop(pages ? { ...options, pages: false } : options).fetch);
  const server = createServer();
  const others = await pages?.(server);
  server.on("request", (request, response) => {
    if (others === undefined || request.url?.startsWith("/api/")) void shop(request, response);
    else others(request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this form.
  const address = server.address() as AddressInfo;
  return {
    // Pages may use a service worker there, without https.
    url: `http://localhost:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
