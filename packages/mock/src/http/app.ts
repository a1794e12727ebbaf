import { isAllowedOrigin } from "../cors-origins.ts";
import { isLoopback } from "@tryon/shared/key-url";
import { httpDate } from "../system/date.ts";
import type { Handler, HttpRequest, HttpResponse } from "./message.ts";
import { errorResponse, json } from "./responses.ts";
import { addDiscoveryRoutes } from "./discovery-routes.ts";
import { addCreditRoutes } from "./credit-routes.ts";
import { addPaymentRoutes } from "./payment-routes.ts";
import { addResultRoutes } from "./result-routes.ts";
import { Router } from "./router.ts";
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
    readonly applyFaults: (
      request: HttpRequest,
      respond: () => Promise<HttpResponse>,
    ) => Promise<HttpResponse>;
    /** Waits until the changes of a request are stored. Undefined if they are. */
    readonly saved: () => Promise<void> | undefined;
  },
): Handler {
  const { service, settings, system } = context;
  const { options } = service;
  const router = new Router(() => "Method Not Allowed");
  // Created with the first request that needs them: they take longer than everything else here.
  let schemas: ReturnType<RouteContext["schemas"]> | undefined;
  const routes = { ...context, schemas: () => (schemas ??= requestSchemas(options)) };
  addDiscoveryRoutes(router, routes);
  addTryOnRoutes(router, routes);
  addCreditRoutes(router, routes);
  addPaymentRoutes(router, routes, context.paymentSecret);
  addResultRoutes(router, service);

  const route = async (request: HttpRequest): Promise<HttpResponse> => {
    let response: HttpResponse | undefined;
    try {
      response = options.slashRedirect ? slashRedirect(request) : undefined;
      response ??= (await router.respond(request)) ?? json({ detail: "Not Found" }, 404);
    } catch (error) {
      response = errorResponse(error, options);
    }
    await context.saved();
    return response;
  };

  const respond = async (request: HttpRequest, isAllowed: boolean): Promise<HttpResponse> => {
    if (!isAllowed) return json(originRefused, 403);
    if (request.method === "OPTIONS") return preflightResponse();
    try {
      return await context.applyFaults(request, () => route(request));
    } catch (error) {
      return errorResponse(error, options);
    }
  };

  return async (request) => {
    const origin = request.headers.get("origin");
    // A page whose host name resolves to this machine needs no CORS, so the server itself refuses its requests.
    const isAllowed = origin === null || isAllowedOrigin(origin, settings.corsOrigins);
    const response = await respond(request, isAllowed);
    const { headers } = response;
    // Resets and expiries count from the server's clock, which can differ from the machine's.
    headers["date"] = httpDate(system.clock.now());
    if (response.isOfGateway) return response;
    headers["x-mock"] = context.mark;
    // Only images may be kept by a cache between client and server.
    if (!request.path.startsWith("/results/")) headers["cache-control"] ??= "no-store";
    headers["vary"] = headers["vary"] === undefined ? "Origin" : `${headers["vary"]}, Origin`;
    if (isAllowed) {
      headers["access-control-allow-origin"] = origin ?? "*";
      headers["access-control-expose-headers"] = exposedHeaders;
    }
    return request.method === "HEAD" ? { status: response.status, headers, body: null } : response;
  };
}

function preflightResponse(): HttpResponse {
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET,HEAD,POST",
      "access-control-allow-headers": "Authorization,Content-Type,Idempotency-Key",
    },
    body: null,
  };
}

function slashRedirect({ origin, path, search }: HttpRequest): HttpResponse | undefined {
  const url = new URL(`${origin}${path}${search}`);
  const target = new URL(url);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) target.protocol = "https:";
  if (url.pathname.length > 1) target.pathname = url.pathname.replace(/\/+$/, "");
  if (target.href === url.href) return undefined;
  return { status: 307, headers: { location: target.href }, body: null };
}
