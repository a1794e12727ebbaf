import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";

import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { createProxy, createQuota, type ProxyError } from "@tryon/client/proxy";
import { Hono, type Context } from "hono";
import { getSignedCookie, setSignedCookie } from "hono/cookie";
import { secureHeaders } from "hono/secure-headers";

export interface ShopOptions {
  /** API key of the try-on service. It stays on the server. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Signs cookies and job ids. At least 32 characters, the same on every server of the shop. */
  readonly secret: string;
  /** URL of the result images. @default baseUrl */
  readonly imagesUrl?: string;
  /** Folder of the built page. */
  readonly pages: string;
  /** Called with errors that users do not receive. @default console.error */
  readonly onError?: (error: ProxyError) => void;
}

const images = new URL("../../images/", import.meta.url);
const products = new Map([
  ["shirt", "shirt.png"],
  ["jacket", "jacket.webp"],
  ["hat", "hat.png"],
]);

/** Creates the shop's server: visitor sessions, the proxy to the try-on service and the page. */
export function createShop(options: ShopOptions): Hono {
  const { apiKey, baseUrl, secret, imagesUrl = baseUrl, pages, onError } = options;
  const proxy = createProxy({
    apiKey,
    baseUrl,
    secret,
    async authorize(_request, context: Context) {
      const id = await getSignedCookie(context, secret, "visitor");
      return id ? { id } : null;
    },
    // Visitors can send any string. If one is not a product, the proxy responds with 422.
    resolveGarments({ garments }) {
      const files = garments.flatMap((url) => products.get(url.split("/products/")[1] ?? "") ?? []);
      if (files.length !== garments.length) return undefined;
      return Promise.all(files.map((file) => readFile(new URL(file, images))));
    },
    // Counts in memory. Several servers need a shared store.
    limit: createQuota({ perDay: 60, perMinute: 60 }),
    // Refused photos of one visitor must not get the key of the shop suspended.
    maxRefusals: { count: 5, per: "1d" },
    onError,
  });
  const shop = new Hono();
  // Replace this with the sessions of your app: a visitor who deletes the cookie gets a new quota.
  shop.post("/api/visitor", async (context) => {
    if (!(await getSignedCookie(context, secret, "visitor"))) {
      const cookie = { path: "/", httpOnly: true, sameSite: "Strict", maxAge: 2_592_000 } as const;
      await setSignedCookie(context, "visitor", randomUUID(), secret, cookie);
    }
    return context.body(null, 204);
  });
  shop.all("/api/tryon/*", (context) => proxy(context.req.raw, context));
  const contentSecurityPolicy = {
    defaultSrc: ["'self'"],
    connectSrc: ["'self'", new URL(imagesUrl).origin],
    imgSrc: ["'self'", "blob:"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
  };
  shop.use(secureHeaders({ contentSecurityPolicy, strictTransportSecurity: false }));
  shop.get("*", serveStatic({ root: pages }));
  return shop;
}

/** Starts the shop on this machine. */
export function startShop(
  options: ShopOptions,
  port = 0,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const { fetch } = createShop(options);
  return new Promise((resolve) => {
    const server = serve({ fetch, port, hostname: "127.0.0.1" }, (info) => {
      resolve({ url: `http://localhost:${info.port}`, close: () => server.close() });
    });
  });
}
