import type { Options } from "../options.ts";
import { otherOrigin } from "../service/result-urls.ts";

/** Tells the address under which the server knows a request, or undefined for one that is not its own. */
export type RequestMatcher = (address: string) => string | undefined;

/**
 * What belongs to a server that stands at `baseUrl`: every path from there down, and the images on its origin or,
 * where the option says so, on the other one. Whole segments count: `/tryon` has `/tryon/api` and not `/tryons`.
 *
 * @throws TypeError when `baseUrl` is no absolute http or https address.
 */
export function requestMatcher(
  baseUrl: string,
  resultsOrigin: Options["resultsOrigin"],
): RequestMatcher {
  const base = parse(baseUrl);
  const folder = base.pathname.replace(/\/+$/, "");
  // The server signs addresses at the root of an origin, wherever its own paths begin.
  const images = resultsOrigin === "other" ? otherOrigin(base.origin) : base.origin;
  return (address) => {
    const url = new URL(address);
    const inside = url.pathname === folder || url.pathname.startsWith(`${folder}/`);
    if (url.origin === base.origin && inside) {
      return `${url.origin}${url.pathname.slice(folder.length) || "/"}${url.search}`;
    }
    return url.origin === images && url.pathname.startsWith("/results/") ? address : undefined;
  };
}

function parse(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new TypeError(
    `baseUrl of handlers() has to be an absolute http or https address; got ${JSON.stringify(baseUrl)}. ` +
      `In a page, new URL("/tryon", location.href).href makes one.`,
  );
}
