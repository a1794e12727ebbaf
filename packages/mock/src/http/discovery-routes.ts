import type { Context, Hono } from "hono";

import contract from "@tryon/spec/openapi.json" with { type: "json" };
import { packs } from "../service/catalogue.ts";
import { html, json } from "./responses.ts";
import { withKey, type RouteContext } from "./with-key.ts";

/** Adds the discovery document, the docs page and the OpenAPI document. By option, they need a key. */
export function addDiscoveryRoutes(app: Hono, routes: RouteContext): void {
  const add = (path: string, respond: (origin: string) => Response): void => {
    const handler = async ({ req }: Context): Promise<Response> => respond(new URL(req.url).origin);
    const { discoveryKey } = routes.service.options;
    app.get(path, discoveryKey ? withKey(routes, (_keyed, context) => handler(context)) : handler);
  };
  for (const path of ["/", "/api/discovery"]) {
    add(path, (origin) => json(discoveryDocument(origin)));
  }
  add("/api/docs", () => html(docsPage()));
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

/** Lists the operations on one HTML page without external resources. */
function docsPage(): string {
  const sections = Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => docsSection(method, path, operation)),
  );
  const title = `${escape(contract.info.title)} ${escape(contract.info.version)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; }
h2 { font: 600 1rem/1.4 ui-monospace, monospace; margin: 2.5rem 0 .25rem; overflow-wrap: anywhere; }
h2 span { border: 1px solid; border-radius: .3rem; padding: .1rem .4rem; margin-right: .5rem; }
</style>
</head>
<body>
<h1>${title}</h1>
<p>The machine-readable description is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
${sections.join("\n")}
</body>
</html>
`;
}

function docsSection(
  method: string,
  path: string,
  { summary, description }: { summary: string; description: string },
): string {
  const paragraphs = description
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escape(paragraph)}</p>`)
    .join("\n");
  return `<h2><span>${method.toUpperCase()}</span>${escape(path)}</h2>\n<p><strong>${escape(summary)}</strong></p>\n${paragraphs}`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
