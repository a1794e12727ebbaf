import type { Config } from "../config/resolve-config.ts";
import { readResponse, type HttpResponse } from "./response.ts";
import type { Transport, TransportRequest } from "./http-request.ts";

/** Configuration of requests over `fetch`. */
type FetchConfig = Pick<Config, "fetch" | "middleware" | "baseUrl" | "apiKey">;

/** Transport over `fetch`. */
export class FetchTransport implements Transport {
  readonly #config: FetchConfig;

  constructor(config: FetchConfig) {
    this.#config = config;
  }

  async send(request: TransportRequest): Promise<HttpResponse> {
    const { method, url, body, read, context, deadline, onSend, onUpload } = request;
    const { fetch, middleware, apiKey } = this.#config;
    const { signal } = deadline;
    const headers = { ...request.headers };
    const isSource = typeof body === "object" && "open" in body;
    const init: RequestInit = {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(isSource ? await body.open(headers, onUpload) : { body: body ?? null }),
      // An image may come from a cache.
      ...(method === "GET" && context && acceptsNoStore() && { cache: "no-store" }),
    };
    signal.throwIfAborted();
    let response: Response;
    if (context && middleware[0]) {
      response = await sendThroughMiddleware(this.#config, url, init, context, onSend);
    } else {
      // A client of a proxy has no key: the proxy adds its own.
      if (context && apiKey) headers["authorization"] = `Bearer ${apiKey}`;
      onSend();
      response = await fetch(url, init);
    }
    return response.ok && read ? read(response, deadline) : readResponse(response, deadline);
  }
}

/** Sends a request through the middleware, then with the API key. */
async function sendThroughMiddleware(
  { fetch, middleware, baseUrl, apiKey }: FetchConfig,
  url: string,
  init: RequestInit,
  context: NonNullable<TransportRequest["context"]>,
  onSend: () => void,
): Promise<Response> {
  // `duplex` is required for a stream.
  const original = new Request(url, { ...init, duplex: "half" } as RequestInit);
  const idempotencyKey = original.headers.get("idempotency-key") ?? undefined;
  const sendLast = async (request: Request): Promise<Response> => {
    // A copy, since a middleware may keep the request and must not get the key.
    const headers = Object.fromEntries(request.headers);
    if (apiKey && request.url.startsWith(`${baseUrl}/`)) {
      headers["authorization"] ??= `Bearer ${apiKey}`;
    }
    let changes: RequestInit = { headers };
    if (request !== original) {
      const { method, signal } = request;
      const body = await request.arrayBuffer();
      changes = { method, signal, headers, body: body.byteLength > 0 ? body : null };
    }
    onSend();
    return fetch(request.url, { ...init, ...changes });
  };
  const send = middleware.reduceRight<typeof sendLast>(
    (next, current) => async (request) => current(request, next, { ...context, idempotencyKey }),
    sendLast,
  );
  return send(original);
}

let noStore: boolean | undefined;

/** Returns false if `cache` makes `fetch` throw. Frameworks cache repeated GETs, so that polls would never end. */
function acceptsNoStore(): boolean {
  try {
    noStore ??= new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
  } catch {
    noStore = false;
  }
  return noStore;
}
