import { anything, readOptions, readValue, type Rule } from "@tryon/shared/options";
import { bypass, http, type HttpHandler } from "msw";

import { redirectWebhooks } from "../delivery/webhook-sender.ts";
import type { Mock } from "../mock.ts";
import type { Options } from "../options.ts";
import { otherOrigin } from "../service/result-urls.ts";
import { host } from "../system/host.ts";

/** Options of `handlers`. */
export interface HandlersOptions {
  /**
   * Base URL at which the tested code calls the service; it may have a path.
   * @default the `baseUrl` of the mock
   */
  readonly baseUrl?: string;
}

const urlRule = {
  expected: "an absolute http or https URL",
  read(given) {
    const url = URL.parse(String(given));
    return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
  },
  isRequired: true,
  hint: 'In a page, pass new URL("/tryon", location.href).href.',
} satisfies Rule<URL>;

/**
 * Creates msw handlers that pass requests under the base URL to a reference server. Other requests go to other
 * handlers and to the network. Webhooks bypass msw, unless the server has a `sendWebhook`. The handlers never reset
 * the server.
 *
 * @throws TypeError for an unknown option, if `baseUrl` is not an absolute http or https URL, or if a fault exists that msw
 * cannot produce.
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 * import { handlers } from "@tryon/mock/msw";
 * import { setupServer } from "msw/node";
 *
 * const mock = createMock({ latency: 0 });
 * const server = setupServer(...handlers(mock, { baseUrl: "https://api.tryon.example" }));
 * server.listen();
 * ```
 */
export function handlers(
  mock: Pick<Mock, "fetch" | "baseUrl" | "options" | "faults">,
  options: HandlersOptions = {},
): HttpHandler[] {
  const { baseUrl } = readOptions("an option of handlers", options, {
    baseUrl: { ...anything<string>(), fallback: mock.baseUrl },
  });
  const serverUrl = requestMatcher(baseUrl, mock.options.resultsOrigin);
  mock.faults.limitTo("msw");
  redirectWebhooks(mock, (request) => host.currentFetch(bypass(request)));
  return [
    http.all(
      ({ request }) => serverUrl(request.url) !== undefined,
      ({ request }) => respond(mock, request, serverUrl(request.url) ?? request.url),
    ),
  ];
}

async function respond(
  mock: Pick<Mock, "fetch">,
  request: Request,
  url: string,
): Promise<Response> {
  const { method } = request;
  const isBodiless = method === "GET" || method === "HEAD";
  try {
    const body = isBodiless ? null : await request.arrayBuffer();
    // Without its signal: msw rejects for a caller that aborts, and the server's work goes on.
    const sent = new Request(url, { method, headers: request.headers, body });
    const response = await mock.fetch(sent);
    const { status, statusText, headers } = response;
    // msw 3 ends the process if a body that is still being sent is canceled.
    const whole = response.body === null ? null : await response.arrayBuffer();
    return new Response(whole, { status, statusText, headers });
  } catch (error) {
    // After a network error, fetch rejects with a TypeError: so does the caller's.
    if (error instanceof TypeError) return Response.error();
    throw error;
  }
}

/**
 * Maps the URL of a request to the server's URL, and any other to undefined. Matches every path under `baseUrl`, and
 * the images on its origin or, depending on the option, on the other one. Whole path segments count: `/tryon` includes
 * `/tryon/api` and not `/tryons`.
 *
 * @throws TypeError if `baseUrl` is not an absolute http or https URL.
 */
export function requestMatcher(
  baseUrl: string,
  resultsOrigin: Options["resultsOrigin"],
): (url: string) => string | undefined {
  const base = readValue("baseUrl", baseUrl, urlRule) ?? new URL(baseUrl);
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
