import type { Hono } from "hono";

import contract from "@tryon/spec/openapi.json" with { type: "json" };
import { packs } from "../service/catalogue.ts";
import { html, json } from "./responses.ts";
import { docsPage } from "./docs-page.ts";

/** The addresses that tell what the service is; they need no key. */
export function addDiscoveryRoutes(app: Hono): void {
  for (const path of ["/", "/api/discovery"]) {
    app.get(path, (context) => json(discoveryDocument(new URL(context.req.url).origin)));
  }
  app.get("/api/docs", () => html(docsPage(contract)));
  app.get("/api/v1/openapi.json", (context) =>
    json({ ...contract, servers: [{ url: new URL(context.req.url).origin }] }),
  );
}

function discoveryDocument(origin: string): unknown {
  return {
    name: contract.info.title,
    api_version: "v1",
    document_version: contract.info.version,
    documentation_url: `${origin}/api/docs`,
    openapi_url: `${origin}/api/v1/openapi.json`,
    capabilities: {
      try_on: { endpoint: `${origin}/api/v1/tryon`, output_sizes: ["1K", "2K", "4K"] },
      agentic_commerce: {
        purchase_endpoint: `${origin}/api/v1/credits/purchase`,
        payment_method: "shared_payment_granted_token",
        currency: "usd",
        packs: Object.entries(packs).map(([slug, { usd, credits }]) => ({
          pack_slug: slug,
          price_usd: usd,
          credits,
        })),
      },
    },
  };
}
