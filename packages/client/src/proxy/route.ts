import type { ProxyKind } from "./options.ts";

/** Where a request leads: to something of the service, or nowhere. */
export type Route =
  | { readonly kind: ProxyKind; readonly id: string }
  | { readonly kind: undefined; readonly allow?: string };

/** What the addresses of the service offer, by method. The app's own path before them may be anything. */
const addresses: readonly (readonly [RegExp, Readonly<Record<string, ProxyKind>>])[] = [
  [/\/api\/v1\/tryon$/, { POST: "submit", GET: "list" }],
  [/\/api\/v1\/tryon\/([^/]+)$/, { GET: "get" }],
  [/\/api\/v1\/account$/, { GET: "account" }],
  [/\/api\/v1\/credits\/purchase$/, { POST: "purchase" }],
];

/** Finds where a request leads, by its method and the end of its path. Nothing else of it is looked at. */
export function findRoute(method: string, path: string): Route {
  for (const [pattern, kinds] of addresses) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const kind = Object.hasOwn(kinds, method) ? kinds[method] : undefined;
    if (kind === undefined) return { kind, allow: Object.keys(kinds).join(", ") };
    return { kind, id: found[1] ?? "" };
  }
  return { kind: undefined };
}
