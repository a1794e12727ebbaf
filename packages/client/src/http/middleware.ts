import type { MiddlewareContext } from "../types/middleware.ts";
import type { Config } from "../config/resolve-config.ts";

/** Configuration of requests over `fetch`. */
export type FetchConfig = Pick<Config, "fetch" | "middleware" | "baseUrl" | "apiKey">;

/** Sends a request through the middleware, then with the API key. Calls `onSend` before it calls `fetch`. */
export async function sendThroughMiddleware(
  { fetch, middleware, baseUrl, apiKey }: FetchConfig,
  url: string,
  init: RequestInit,
  { onSend, ...context }: Omit<MiddlewareContext, "idempotencyKey"> & { onSend: () => void },
): Promise<Response> {
  // `duplex` is required for a stream.
  const original = new Request(url, { ...init, duplex: "half" } as RequestInit);
  const idempotencyKey = original.headers.get("idempotency-key") ?? undefined;
  const step = async (index: number, request: Request): Promise<Response> => {
    const one = middleware[index];
    if (one !== undefined) {
      return one(request, (next) => step(index + 1, next), { ...context, idempotencyKey });
    }
    // A copy: a middleware may keep the request and must not see the key.
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
  return step(0, original);
}
