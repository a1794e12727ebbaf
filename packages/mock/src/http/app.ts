import { Hono } from "hono";
import { cors } from "hono/cors";

import { isAllowedOrigin } from "../cors-origins.ts";
import { isLoopback } from "../loopback.ts";
import { httpDate } from "../system/date.ts";
import { errorResponse, json } from "./responses.ts";
import type { Site } from "./calls.ts";
import { addDiscoveryRoutes } from "./discovery-routes.ts";
import { addCreditRoutes } from "./credit-routes.ts";
import { addPaymentRoutes } from "./payment-routes.ts";
import { addResultRoutes } from "./result-routes.ts";
import { addTryOnRoutes } from "./tryon-routes.ts";

/** The methods of every address, for the answer to any other. */
const allowedMethods: readonly (readonly [path: string, methods: string])[] = [
  ["/", "GET, HEAD"],
  ["/api/discovery", "GET, HEAD"],
  ["/api/docs", "GET, HEAD"],
  ["/api/v1/openapi.json", "GET, HEAD"],
  ["/api/v1/tryon", "GET, HEAD, POST"],
  ["/api/v1/tryon/:job_id", "GET, HEAD"],
  ["/api/v1/account", "GET, HEAD"],
  ["/api/v1/credits/purchase", "POST"],
  ["/api/webhooks/payments", "POST"],
  ["/results/:file", "GET, HEAD"],
];

/** Headers that pages of other origins may read. */
const exposedHeaders = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "Idempotent-Replayed",
  "Date",
  "X-Mock",
] as const;

const foreignPage = {
  detail:
    "The reference server takes no calls from pages of this origin. Allow the origin with --cors-origin, in code with corsOrigins.",
};

/** The HTTP face of the service. */
export function createApp(
  site: Site,
  parts: {
    mark: string;
    paymentSecret: string;
    /** Has a hand in every call, within the headers that all answers have. */
    steer: (request: Request, work: () => Promise<Response>) => Promise<Response>;
  },
): { fetch: (request: Request) => Promise<Response> } {
  const app = new Hono({ strict: true });
  const dateOf = dateHeader();
  app.use(async (context, next) => {
    const { method } = context.req;
    const origin = context.req.header("origin");
    const allowed = origin === undefined || isAllowedOrigin(origin, site.settings.corsOrigins);
    // Without headers alone, a page whose host name was pointed at this machine could still send: it needs no CORS.
    if (allowed) await next();
    else context.res = json(foreignPage, 403);
    const { headers } = context.res;
    headers.set("X-Mock", parts.mark);
    // The server's own time, which need not be the machine's: resets and expiries are counted from it.
    headers.set("Date", dateOf(site.system.clock.now()));
    // The preflight below has set its own.
    if (allowed && method === "OPTIONS") return;
    headers.append("Vary", "Origin");
    if (!allowed) return;
    headers.set("Access-Control-Allow-Origin", origin ?? "*");
    headers.set("Access-Control-Expose-Headers", exposedHeaders.join(","));
  });
  const preflight = cors({
    origin: (origin) => origin || "*",
    allowMethods: ["GET", "HEAD", "POST"],
    allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key"],
    exposeHeaders: [...exposedHeaders],
  });
  // For any other call it would set its headers on an answer of its own, into which the real one is then copied.
  app.use((context, next) =>
    context.req.method === "OPTIONS" ? preflight(context, next) : next(),
  );
  app.use(async (context, next) => {
    const work = async (): Promise<Response> => {
      await next();
      return context.res;
    };
    const response = await parts.steer(context.req.raw, work);
    return context.finalized ? undefined : response;
  });
  if (site.service.options.slashRedirect) {
    app.use(async (context, next) => {
      const target = redirectTarget(new URL(context.req.url));
      if (target === undefined) return next();
      return new Response(null, { status: 307, headers: { location: target } });
    });
  }
  addDiscoveryRoutes(app);
  addTryOnRoutes(app, site);
  addCreditRoutes(app, site);
  addPaymentRoutes(app, site, parts.paymentSecret);
  addResultRoutes(app, site);
  for (const [path, methods] of allowedMethods) {
    app.all(path, () => json({ detail: "Method Not Allowed" }, 405, { allow: methods }));
  }
  app.notFound(() => json({ detail: "Not Found" }, 404));
  app.onError((error) => errorResponse(error, site.service.options));
  return { fetch: async (request) => app.fetch(request) };
}

/** Writes times as HTTP dates; within a second it is the same text. */
function dateHeader(): (now: number) => string {
  let second = Number.NaN;
  let text = "";
  return (now) => {
    const current = Math.floor(now / 1_000);
    if (current !== second) {
      second = current;
      text = httpDate(now);
    }
    return text;
  };
}

/** Where a deployment with strict addresses sends a caller who has a slash too many or comes by http. */
function redirectTarget(url: URL): string | undefined {
  const target = new URL(url);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) target.protocol = "https:";
  if (url.pathname.length > 1) target.pathname = url.pathname.replace(/\/+$/, "");
  return target.href === url.href ? undefined : target.href;
}
