import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { getRequestListener } from "@hono/node-server";

import { createShop, type ShopOptions } from "./shop.ts";

export interface RunningShop {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Lets the shop listen on this machine.
 *
 * @param pages - Serves the pages in place of the built ones: the development server.
 */
export async function startShop(
  options: ShopOptions,
  port = 0,
  pages?: RequestListener,
): Promise<RunningShop> {
  const shop = getRequestListener(createShop(options).fetch);
  const server = createServer((request, response) => {
    if (pages === undefined || request.url?.startsWith("/api/")) void shop(request, response);
    else pages(request, response);
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
