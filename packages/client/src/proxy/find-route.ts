import { errorResponse } from "./error-response.ts";
import type { ProxyKind, ProxyOptions } from "./options.ts";

interface Route {
  readonly kind: ProxyKind;
  /** Job id from the path; empty for other kinds. */
  readonly id: string;
}

/** Methods of the service's paths, below the base path of the proxy. */
const routes: readonly (readonly [RegExp, Readonly<Record<string, ProxyKind>>])[] = [
  [/^\/api\/v1\/tryon$/, { POST: "submit", GET: "list" }],
  [/^\/api\/v1\/tryon\/([^/]+)$/, { GET: "get" }],
  [/^\/api\/v1\/account$/, { GET: "account" }],
  [/^\/api\/v1\/credits\/purchase$/, { POST: "purchase" }],
];

/** Finds the route of a request; returns a 404 or 405 response if there is none or if it is not enabled. */
export function findRoute(
  { method, url }: Request,
  basePath: string,
  allow: ProxyOptions["allow"] = {},
): Route | Response {
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
