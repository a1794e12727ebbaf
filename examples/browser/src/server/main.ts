import { randomBytes } from "node:crypto";
import type { RequestListener, Server } from "node:http";
import { parseArgs } from "node:util";

import { createMock } from "@tryon/mock";
import { compositeEngine, serve } from "@tryon/mock/node";

import { startShop } from "./start-shop.ts";

const { values } = parseArgs({
  options: { dev: { type: "boolean" }, port: { type: "string", default: "5180" } },
});

// The reference server stands in for the service: its pictures show what was sent.
const mock = createMock({ engine: await compositeEngine(), latency: "6s" });
const service = await serve(mock);
const shop = await startShop(
  {
    apiKey: process.env["TRYON_API_KEY"] ?? mock.keys.live,
    baseUrl: process.env["TRYON_BASE_URL"] ?? service.url,
    secret: process.env["SHOP_SECRET"] ?? randomBytes(32).toString("hex"),
  },
  Number(values.port),
  values.dev ? developmentPages : undefined,
);
process.stdout.write(
  `The fitting room is open at ${shop.url} (without a server: ${shop.url}/?mock)\n`,
);

/** The pages as they are in the editor. */
async function developmentPages(server: Server): Promise<RequestListener> {
  const { createServer } = await import("vite");
  const vite = await createServer({ server: { middlewareMode: true, hmr: { server } } });
  return vite.middlewares;
}
