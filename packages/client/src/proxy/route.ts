import type { ProxyKind } from "./options.ts";

/** Where a request leads: to something of the service, or nowhere. */
export type Route =
  | { readonly kind: ProxyKind; readonly id: string }
  | { readonly kind: undefined; readonly allow?: string };

/** Methods of the service's paths, below the base path of the proxy. */
const addresses: readonly (readonly [RegExp, Readonly<Record<string, ProxyKind>>])[] = [
  [/^\/api\/v1\/tryon$/, { POST: "submit", GET: "list" }],
  [/^\/api\/v1\/tryon\/([^/]+)$/, { GET: "get" }],
  [/^\/api\/v1\/account$/, { GET: "account" }],
  [/^\/api\/v1\/credits\/purchase$/, { POST: "purchase" }],
];

/** Finds where a request leads, by its method and its path below the base path. */
export function findRoute(method: string, path: string, basePath: string): Route {
  if (!path.startsWith(basePath)) return { kind: undefined };
  const below = path.slice(basePath.length);
  for (const [pattern, kinds] of addresses) {
    const found = pattern.exec(below);
    if (found === null) continue;
    const kind = Object.hasOwn(kinds, method) ? kinds[method] : undefined;
    if (kind === undefined) return { kind, allow: Object.keys(kinds).join(", ") };
    return { kind, id: found[1] ?? "" };
  }
  return { kind: undefined };
}
