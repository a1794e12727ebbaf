import { Hono } from "hono";

import { isAllowedOrigin } from "../cors-origins.ts";
import { isLoopback } from "@tryon/shared/key-url";
import { httpDate } from "../system/date.ts";
import { marksOf } from "./marks.ts";
import { errorResponse, json, refuseOtherMethods } from "./responses.ts";
import { addDiscoveryRoutes } from "./discovery-routes.ts";
import { addCreditRoutes } from "./credit-routes.ts";
import { addPaymentRoutes } from "./payment-routes.ts";
import { addResultRoutes } from "./result-routes.ts";
import { requestSchemas } from "./schemas.ts";
import { addTryOnRoutes } from "./tryon-routes.ts";
import type { RouteContext } from "./with-key.ts";

const exposedHeaders = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "Idempotent-Replayed",
  "Date",
  "X-Mock",
].join(",");

const originRefused = {
  detail:
    "The reference server takes no requests from pages of this origin. Allow the origin with --cors-origin, in code with corsOrigins.",
};

export function createApp(
  context: Omit<RouteContext, "schemas"> & {
    readonly mark: string;
    readonly paymentSecret: string;
    /** Applies the faults of a request. CORS and common headers are added to the response afterwards. */
    readonly applyFaults: (request: Request, respond: () => Promise<Response>) => Promise<Response>;
  },
): { fetch: (request: Request) => Promise<Response> } {
  const { service, settings, system } = context;
  const app = new Hono({ strict: true });
  app.use(async (hono, next) => {
    const origin = hono.req.header("origin");
    // A page whose host name resolves to this machine needs no CORS, so the server itself refuses its requests.
    const allowed = origin === undefined || isAllowedOrigin(origin, settings.corsOrigins);
    if (!allowed) hono.res = json(originRefused, 403);
    else if (hono.req.method === "OPTIONS") hono.res = preflightResponse();
    else await next();
    const { headers } = hono.res;
    // Resets and expiries count from the server's clock, which can differ from the machine's.
    headers.set("Date", httpDate(system.clock.now()));
    if (marksOf(hono.res).isOfGateway) return;
    headers.set("X-Mock", context.mark);
    // Only images may be kept by a cache between client and server.
    if (!headers.has("Cache-Control") && !hono.req.path.startsWith("/results/")) {
      headers.set("Cache-Control", "no-store");
    }
    headers.append("Vary", "Origin");
    if (!allowed) return;
    headers.set("Access-Control-Allow-Origin", origin ?? "*");
    headers.set("Access-Control-Expose-Headers", exposedHeaders);
  });
  app.use(async (hono, next) => {
    const response = await context.applyFaults(hono.req.raw, async () => {
      await next();
      return hono.res;
    });
    if (!hono.finalized) return response;
    // A gateway responds after the lost response of the service. Hono would merge the two.
    if (hono.res !== response) {
      hono.res = undefined;
      hono.res = response;
    }
    return undefined;
  });
  if (service.options.slashRedirect) {
    app.use(async (hono, next) => {
      const location = redirectTarget(new URL(hono.req.url));
      if (location === undefined) return next();
      return new Response(null, { status: 307, headers: { location } });
    });
  }
  // Created with the first request that needs them: they take longer than everything else here.
  let schemas: ReturnType<RouteContext["schemas"]> | undefined;
  const routes = { ...context, schemas: () => (schemas ??= requestSchemas(service.options)) };
  addDiscoveryRoutes(app, routes);
  addTryOnRoutes(app, routes);
  addCreditRoutes(app, routes);
  addPaymentRoutes(app, routes, context.paymentSecret);
  addResultRoutes(app, service);
  refuseOtherMethods(app, () => "Method Not Allowed");
  app.notFound(() => json({ detail: "Not Found" }, 404));
  app.onError((error) => errorResponse(error, service.options));
  return { fetch: async (request) => app.fetch(request) };
}

function preflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": "GET,HEAD,POST",
      "Access-Control-Allow-Headers": "Authorization,Content-Type,Idempotency-Key",
    },
  });
}

/** Returns the https URL without a trailing slash, or undefined when the URL is already that. */
function redirectTarget(url: URL): string | undefined {
  const target = new URL(url);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) target.protocol = "https:";
  if (url.pathname.length > 1) target.pathname = url.pathname.replace(/\/+$/, "");
  return target.href === url.href ? undefined : target.href;
}
