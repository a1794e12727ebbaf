import { bypass, http, type HttpHandler } from "msw";

import { redirectWebhooks } from "../delivery/webhook-sender.ts";
import type { Mock } from "../mock.ts";
import { host } from "../system/host.ts";
import { requestMatcher } from "./request-matcher.ts";

/** Options of `handlers`. */
export interface HandlersOptions {
  /**
   * Base URL at which the tested code calls the service; it may have a path.
   * @default the `baseUrl` of the mock
   */
  readonly baseUrl?: string;
}

/**
 * Creates msw handlers that pass requests under the base URL to a reference server. Other requests go to other
 * handlers and to the network. Webhooks bypass msw, unless the server has a `sendWebhook`. The handlers never reset
 * the server.
 *
 * @throws TypeError if `baseUrl` is not an absolute http or https URL, RangeError if a fault exists that msw cannot
 * produce.
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
  const serverUrl = requestMatcher(options.baseUrl ?? mock.baseUrl, mock.options.resultsOrigin);
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
