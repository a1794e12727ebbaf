import { authorizeRequest } from "./authorize-request.ts";
import { classifyOrigin, preflightResponse, withCorsHeaders, type Origin } from "./cors.ts";
import { errorResponse } from "./error-response.ts";
import { findRoute } from "./find-route.ts";
import { handleRequest } from "./handle-request.ts";
import type { ProxyError, ProxyKind, ProxyOptions, ProxyUser } from "./options.ts";
import { resolveOptions, resolveUpstream, type Upstream } from "./resolve-options.ts";

/** Fetch handler of `createProxy`. It passes the second argument to `authorize`. */
export type Proxy<Context = unknown> = (
  request: Request,
  ...rest: unknown extends Context ? [context?: unknown] : [context: Context]
) => Promise<Response>;

/**
 * Creates a fetch handler through which pages use the service without the API key. Pages connect with
 * `new TryOn({ proxyUrl })`. The handler runs in every runtime with `Request` and `Response`.
 *
 * It serves `POST …/api/v1/tryon` and `GET …/api/v1/tryon/{job_id}` below `basePath`, and can serve more by `allow`. It
 * requires a user from `authorize`; users can read only their own jobs. It keeps no state between requests, so any
 * number of instances can run in parallel.
 *
 * The handler forwards only allowed fields of a request. It rejects requests from pages of other sites.
 *
 * @throws `invalid_config` if `authorize` is missing, or if an option, the key or the URL is invalid;
 * `unsafe_environment` if the key would be at risk. Values from the environment are checked at the first request, which
 * gets 500 if they are invalid.
 * @example
 * import { createProxy } from "@tryon/client/proxy";
 *
 * const proxy = createProxy({
 *   authorize: async (request) => {
 *     const session = await readSession(request.headers.get("cookie"));
 *     return session && { id: session.userId };
 *   },
 * });
 * export const GET = proxy; // Next.js: app/api/tryon/[...path]/route.ts
 * export const POST = proxy;
 */
export function createProxy<User extends ProxyUser, Context = unknown>(
  options: ProxyOptions<User, Context>,
): Proxy<Context> {
  const own = { ...options };
  const resolved = resolveOptions(own);
  let cached: Upstream | undefined;
  const upstream = (): Upstream => (cached ??= resolveUpstream(own));
  if (own.apiKey !== undefined && own.baseUrl !== undefined) upstream();
  const { origins = [], onError = logError } = own;

  const respond = async (request: Request, origin: Origin, context: Context): Promise<Response> => {
    let kind: ProxyKind | undefined;
    const report = (error: ProxyError): void => {
      try {
        onError({ kind, ...error });
      } catch {
        // An error of the callback must not end the request.
      }
    };
    try {
      if (request.method === "OPTIONS") {
        return typeof origin === "object" ? preflightResponse() : foreignOrigin();
      }
      const route = findRoute(request, resolved.basePath, own.allow);
      if (route instanceof Response) return route;
      ({ kind } = route);
      if (origin === "foreign") return foreignOrigin();
      const authorize = () => own.authorize(request, context);
      const authorized = await authorizeRequest(request, kind, authorize, own.limit, report);
      if (authorized instanceof Response) return authorized;
      const settings = { ...own, ...resolved, upstream: upstream() };
      return await handleRequest(route.id, authorized, settings, report);
    } catch (cause) {
      // No one reads this response, and the operator has nothing to fix.
      if (request.signal.aborted) return errorResponse(499, "The client closed the request.");
      report({ message: "The proxy failed. See cause.", cause });
      return errorResponse(500, "The proxy failed.");
    }
  };
  return async (request, ...[context]) => {
    const origin = classifyOrigin(request, origins);
    // `context` is missing only where its type is unknown.
    return withCorsHeaders(origin, await respond(request, origin, context as Context));
  };
}

function foreignOrigin(): Response {
  return errorResponse(403, "This origin may not use the proxy. See the proxy's option origins.");
}

/** Default of `onError`. */
function logError(error: ProxyError): void {
  // oxlint-disable-next-line no-console
  console.error("@tryon/client/proxy:", error.message, error.cause ?? "");
}
