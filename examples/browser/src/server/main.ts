import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { createMock } from "@tryon/mock";
import { compositeEngine, serve } from "@tryon/mock/node";

import { startShop } from "./start-shop.ts";

const { values } = parseArgs({
  options: { dev: { type: "boolean" }, port: { type: "string", default: "5180" } },
});

// The reference server replaces the service unless the environment names one.
const mock = createMock({ engine: await compositeEngine(), latency: "6s" });
const service = await serve(mock);
const shop = await startShop(
  {
    apiKey: process.env["TRYON_API_KEY"] ?? mock.keys.live,
    baseUrl: process.env["TRYON_BASE_URL"] ?? service.url,
    secret: process.env["SHOP_SECRET"] ?? randomBytes(32).toString("hex"),
    pages: values.dev ? undefined : join(import.meta.dirname, "../../dist"),
  },
  Number(values.port),
);
process.stdout.write(`The page is at ${shop.url} (without a server: ${shop.url}/?mock)\n`);
