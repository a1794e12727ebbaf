import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { createMock } from "@tryon/mock";
import { compositeEngine, serve } from "@tryon/mock/node";

import { startShop } from "./create-shop.ts";

const { TRYON_API_KEY, TRYON_BASE_URL, SHOP_SECRET, PORT = "5180" } = process.env;

// The reference server replaces the service unless the environment names one.
const mock = createMock({ engine: await compositeEngine(), latency: "6s" });
const service = await serve(mock);
const shop = await startShop(
  {
    apiKey: TRYON_API_KEY ?? mock.keys.live,
    baseUrl: TRYON_BASE_URL ?? service.url,
    secret: SHOP_SECRET ?? randomBytes(32).toString("hex"),
    pages: join(import.meta.dirname, "../../dist"),
  },
  Number(PORT),
);
process.stdout.write(`The page is at ${shop.url}\n`);
