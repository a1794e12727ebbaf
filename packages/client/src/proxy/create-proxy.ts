import { authorizeRequest } from "./authorize-request.ts";
import { classifyOrigin, preflightResponse, withCorsHeaders, type Origin } from "./cors.ts";
import { errorResponse } from "./error-response.ts";
import { handleRequest } from "./handle-request.ts";
import type { ProxyError, ProxyKind, ProxyOptions, ProxyUser } from "./options.ts";
import { resolveOptions, type ProxySettings } from "./resolve-options.ts";

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
 * `unsafe_environment` if the key would be at risk. The proxy checks values from the environment and from an `apiKey`
 * function at each request, which gets 500 if they are invalid.
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
  // The callbacks get only users that `authorize` returned, and the context of the same proxy.
  const settings = resolveOptions(options as unknown as ProxyOptions);
  return async (request, ...[context]) => {
    const origin = classifyOrigin(request, settings.origins);
    return withCorsHeaders(origin, await respond(request, context, origin, settings));
  };
}

async function respond(
  request: Request,
  context: unknown,
  origin: Origin,
  settings: ProxySettings,
): Promise<Response> {
  let kind: ProxyKind | undefined;
  const report = (error: ProxyError): void => {
    try {
      settings.onError({ kind, ...error });
    } catch {
      // An error of the callback must not end the request.
    }
  };
  try {
    if (request.method === "OPTIONS") {
      return typeof origin === "object" ? preflightResponse() : foreignOrigin();
    }
    const route = findRoute(request, settings);
    if (route instanceof Response) return route;
    ({ kind } = route);
    if (origin === "foreign") return foreignOrigin();
    const call = await authorizeRequest(request, context, kind, settings, report);
    if (call instanceof Response) return call;
    return await handleRequest(call, route.id, settings, report);
  } catch (cause) {
    // No one reads this response, and the operator has nothing to fix.
    if (request.signal.aborted) return errorResponse(499, "The client closed the request.");
    report({ message: "The proxy failed. See cause.", cause });
    return errorResponse(500, "The proxy failed.");
  }
}

function foreignOrigin(): Response {
  return errorResponse(403, "This origin may not use the proxy. See the proxy's option origins.");
}

/** Methods of the service's paths, below the base path of the proxy. */
const routes: readonly (readonly [RegExp, Readonly<Record<string, ProxyKind>>])[] = [
  [/^\/api\/v1\/tryon$/, { POST: "submit", GET: "list" }],
  [/^\/api\/v1\/tryon\/([^/]+)$/, { GET: "get" }],
  [/^\/api\/v1\/account$/, { GET: "account" }],
  [/^\/api\/v1\/credits\/purchase$/, { POST: "purchase" }],
];

/** Finds the operation and job id of a request; returns a 404 or 405 response if there is none or it is not enabled. */
function findRoute(
  { method, url }: Request,
  { basePath, allow }: ProxySettings,
): { readonly kind: ProxyKind; readonly id: string } | Response {
  const { pathname } = new URL(url);
  const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : "";
  for (const [pattern, kinds] of routes) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const kind = Object.hasOwn(kinds, method) ? kinds[method] : undefined;
    if (kind === undefined) {
      return errorResponse(405, "Method Not Allowed", { allow: Object.keys(kinds).join(", ") });
    }
    if (kind !== "submit" && kind !== "get" && allow[kind] !== true) {
      return errorResponse(404, `${method} is not enabled here. See the proxy's option allow.`);
    }
    return { kind, id: found[1] ?? "" };
  }
  const detail = `Not Found. The proxy serves ${basePath}/api/v1/tryon. See its option basePath.`;
  return errorResponse(404, detail);
}
