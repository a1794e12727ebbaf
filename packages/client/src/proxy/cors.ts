/** Origin of the page that sends a request: the proxy's own, an allowed one or any other. */
export type Origin = "own" | "foreign" | { readonly allowed: string };

/**
 * Classifies the origin of a request by headers that browsers set and pages cannot change. A request without them does
 * not come from a page of another site.
 */
export function classifyOrigin(request: Request, allowed: readonly string[]): Origin {
  const origin = request.headers.get("origin");
  if (origin !== null && allowed.includes(origin)) return { allowed: origin };
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none" ? "own" : "foreign";
  if (origin === null) return "own";
  // Compares the host only: a reverse proxy can turn https into http.
  const host = URL.canParse(origin) && new URL(origin).host;
  return host === new URL(request.url).host ? "own" : "foreign";
}

/** Creates the response to a preflight request from an allowed origin. */
export function preflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "content-type, idempotency-key, authorization",
      "access-control-max-age": "600",
    },
  });
}

/** Copies a response and adds CORS headers if the origin is allowed. */
export function withCorsHeaders(origin: Origin, response: Response): Response {
  // The headers of some responses are immutable.
  const copy = new Response(response.body, response);
  copy.headers.append("vary", "Origin");
  if (typeof origin === "object") {
    copy.headers.set("access-control-allow-origin", origin.allowed);
    copy.headers.set("access-control-allow-credentials", "true");
    copy.headers.set(
      "access-control-expose-headers",
      "retry-after, idempotent-replayed, x-request-id",
    );
  }
  return copy;
}
