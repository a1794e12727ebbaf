import contract from "@tryon/spec/openapi.json" with { type: "json" };
import { packs, sizeNames } from "../service/catalogue.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";
import { html, json } from "./responses.ts";
import type { Router } from "./router.ts";
import { withKey, type RouteContext } from "./with-key.ts";

export function addDiscoveryRoutes(router: Router, routes: RouteContext): void {
  const add = (
    path: string,
    respond: (origin: string) => HttpResponse | Promise<HttpResponse>,
  ): void => {
    const route = async ({ origin }: HttpRequest): Promise<HttpResponse> => respond(origin);
    const { discoveryKey } = routes.service.options;
    const keyed = withKey(routes, ({ request }) => route(request));
    router.add("GET", path, discoveryKey ? keyed : route);
  };
  for (const path of ["/", "/api/discovery"]) {
    add(path, (origin) => json(discoveryDocument(origin)));
  }
  add("/api/docs", async () => {
    // The text of the page is large, so only a request for it loads it.
    const { apiDocsPage } = await import("../generated/api-docs-page.ts");
    return html(apiDocsPage);
  });
  add("/api/v1/openapi.json", (url) => json({ ...contract, servers: [{ url }] }));
}

function discoveryDocument(origin: string): unknown {
  return {
    name: contract.info.title,
    api_version: "v1",
    document_version: contract.info.version,
    documentation_url: `${origin}/api/docs`,
    openapi_url: `${origin}/api/v1/openapi.json`,
    capabilities: {
      try_on: { endpoint: `${origin}/api/v1/tryon`, output_sizes: sizeNames },
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
