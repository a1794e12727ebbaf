import { sendThroughMiddleware, type FetchConfig } from "./middleware.ts";
import { readResponse, type HttpResponse } from "./response.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** Transport over `fetch`. */
export class FetchTransport implements Transport {
  readonly #config: FetchConfig;

  constructor(config: FetchConfig) {
    this.#config = config;
  }

  async send(request: TransportRequest): Promise<HttpResponse> {
    const { method, url, body, cacheable, read, context, deadline, onSend, onUpload } = request;
    const { signal } = deadline;
    const headers = { ...request.headers };
    const isSource = typeof body === "object" && "open" in body;
    const init: RequestInit = {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(isSource ? await body.open(headers, onUpload) : { body: body ?? null }),
      ...(method === "GET" && !cacheable && acceptsNoStore() && { cache: "no-store" }),
    };
    signal.throwIfAborted();
    const { fetch, middleware, apiKey } = this.#config;
    let response: Response;
    if (context && middleware[0]) {
      response = await sendThroughMiddleware(this.#config, url, init, { ...context, onSend });
    } else {
      // A proxy adds its own key.
      if (context && apiKey) headers["authorization"] = `Bearer ${apiKey}`;
      onSend();
      response = await fetch(url, init);
    }
    return response.ok && read ? read(response, deadline) : readResponse(response, deadline);
  }
}

let noStore: boolean | undefined;

/** Returns false where `cache` makes `fetch` throw. Frameworks cache repeated GETs, so that polls would never end. */
function acceptsNoStore(): boolean {
  try {
    noStore ??= new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
  } catch {
    noStore = false;
  }
  return noStore;
}
