import { bypass, http, type HttpHandler } from "msw";

import { redirectWebhooks } from "../delivery/webhook-sender.ts";
import type { Mock } from "../mock.ts";
import { host } from "../system/host.ts";
import { requestMatcher } from "./request-matcher.ts";

/** Where the handlers of msw stand. */
export interface HandlersOptions {
  /**
   * The address at which the code under test calls the service; a path in it is allowed.
   * @default the `baseUrl` of the mock
   */
  readonly baseUrl?: string;
}

/**
 * Lets msw answer with a reference server: what is under its base address goes to the server, everything else is left
 * to other handlers and the network. The server's webhooks go past the interception, unless it has a `sendWebhook` of
 * its own. The server's state is never reset by this.
 *
 * @throws TypeError when `baseUrl` is no absolute http or https address, or when a fault is set that msw cannot show.
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
  const addressOf = requestMatcher(options.baseUrl ?? mock.baseUrl, mock.options.resultsOrigin);
  mock.faults.limitTo("msw");
  redirectWebhooks(mock, (request) => host.currentFetch(bypass(request)));
  return [
    http.all(
      ({ request }) => addressOf(request.url) !== undefined,
      ({ request }) => answer(mock, request, addressOf(request.url) ?? request.url),
    ),
  ];
}

async function answer(
  mock: Pick<Mock, "fetch">,
  request: Request,
  address: string,
): Promise<Response> {
  try {
    return await buffered(await mock.fetch(await detached(request, address)));
  } catch (error) {
    // Where a network fails, fetch rejects with a TypeError: so has the caller's to.
    if (error instanceof TypeError) return Response.error();
    throw error;
  }
}

/** The request without its signal: msw rejects for a caller who has left, and the work goes on here. */
async function detached(request: Request, address: string): Promise<Request> {
  const { method, headers } = request;
  const bodiless = method === "GET" || method === "HEAD";
  const body = bodiless ? null : await request.arrayBuffer();
  return new Request(address, { method, headers, body });
}

/** The answer with its whole body at hand: msw 3 ends the process when a body that still flows is broken off. */
async function buffered(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = response.body === null ? null : await response.arrayBuffer();
  return new Response(body, { status, statusText, headers });
}
