import type { Options } from "../options.ts";
import { otherOrigin } from "../service/result-urls.ts";

/** Returns the URL of a request to the server, or undefined for any other request. */
export type RequestMatcher = (url: string) => string | undefined;

/**
 * Matches every path under `baseUrl`, and the images on its origin or, depending on the option, on the other one. A
 * path matches whole segments: `/tryon` includes `/tryon/api` and not `/tryons`.
 *
 * @throws TypeError if `baseUrl` is not an absolute http or https URL.
 */
export function requestMatcher(
  baseUrl: string,
  resultsOrigin: Options["resultsOrigin"],
): RequestMatcher {
  const base = parse(baseUrl);
  const folder = base.pathname.replace(/\/+$/, "");
  // The server signs result URLs at the root of an origin, whatever its base path.
  const images = resultsOrigin === "other" ? otherOrigin(base.origin) : base.origin;
  return (requestUrl) => {
    const url = new URL(requestUrl);
    const isInside = url.pathname === folder || url.pathname.startsWith(`${folder}/`);
    if (url.origin === base.origin && isInside) {
      return `${url.origin}${url.pathname.slice(folder.length) || "/"}${url.search}`;
    }
    return url.origin === images && url.pathname.startsWith("/results/") ? requestUrl : undefined;
  };
}

function parse(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new TypeError(
    `baseUrl of handlers() has to be an absolute http or https URL; got ${JSON.stringify(baseUrl)}. ` +
      `In a page, pass new URL("/tryon", location.href).href.`,
  );
}
