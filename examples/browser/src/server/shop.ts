import { join } from "node:path";

import { serveStatic } from "@hono/node-server/serve-static";
import { createProxy, createQuota, type ProxyError } from "@tryon/client/proxy";
import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";

import { newVisitor, visitorOf } from "./visitor.ts";

export interface ShopOptions {
  /** The try-on service: its key stays here. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Signs visitors and their jobs; at least 32 characters, the same on every server of the shop. */
  readonly secret: string;
  /** Where pictures are fetched from, if not from the service itself. */
  readonly pictures?: string;
  /** The folder of the pages; false where something else serves them. @default where `vite build` puts them */
  readonly pages?: string | false;
  /** Called with errors that users do not see. @default console.error */
  readonly onError?: (error: ProxyError) => void;
}

const builtPages = join(import.meta.dirname, "../../dist");

/** The server of the shop: who the visitor is, the way to the try-on service, and the pages. */
export function createShop(options: ShopOptions): Hono {
  const { apiKey, baseUrl, secret, pictures = baseUrl, pages = builtPages, onError } = options;
  const visitor = (request: Request) => visitorOf(request.headers.get("cookie"), secret);
  const proxy = createProxy({
    apiKey,
    baseUrl,
    secret,
    authorize: (request) => {
      const id = visitor(request);
      return id === undefined ? null : { id };
    },
    // In memory: a shop with several servers gives it a store that they share.
    limit: createQuota({ perDay: 60, perMinute: 60 }),
    sizes: ["1K", "2K", "4K"],
    onError,
  });
  const shop = new Hono();
  shop.post("/api/visitor", (context) => {
    if (visitor(context.req.raw) === undefined) context.header("Set-Cookie", newVisitor(secret));
    return context.body(null, 204);
  });
  shop.all("/api/tryon/*", (context) => proxy(context.req.raw));
  // The page talks to the shop and fetches pictures; nothing else is ever asked.
  const contentSecurityPolicy = {
    defaultSrc: ["'self'"],
    connectSrc: ["'self'", new URL(pictures).origin],
    imgSrc: ["'self'", "blob:"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
  };
  shop.use(secureHeaders({ contentSecurityPolicy, strictTransportSecurity: false }));
  if (pages !== false) shop.get("*", serveStatic({ root: pages }));
  return shop;
}
