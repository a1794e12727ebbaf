/** Whether the page that sends a request may use the proxy. */
export type Origin = "own" | "foreign" | { readonly allowed: string };

/**
 * Says which page a request comes from, by what browsers add and pages cannot change. What carries neither of these
 * headers comes from no page of another site.
 */
export function originOf(request: Request, allowed: readonly string[]): Origin {
  const origin = request.headers.get("origin");
  if (origin !== null && allowed.includes(origin)) return { allowed: origin };
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none" ? "own" : "foreign";
  if (origin === null) return "own";
  // Not the scheme: what stands before this server may have taken https off.
  const host = URL.canParse(origin) && new URL(origin).host;
  return host === new URL(request.url).host ? "own" : "foreign";
}

/** The answer to a browser that asks whether a page of an allowed origin may send. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "content-type, idempotency-key, authorization",
      "access-control-max-age": "600",
    },
  });
}

/** The answer, readable by pages of the allowed origin that asked. */
export function readableBy(origin: Origin, response: Response): Response {
  // A copy, since the headers of some answers cannot be changed.
  const answer = new Response(response.body, response);
  answer.headers.append("vary", "Origin");
  if (typeof origin === "object") {
    answer.headers.set("access-control-allow-origin", origin.allowed);
    answer.headers.set("access-control-allow-credentials", "true");
    answer.headers.set(
      "access-control-expose-headers",
      "retry-after, idempotent-replayed, x-request-id",
    );
  }
  return answer;
}
