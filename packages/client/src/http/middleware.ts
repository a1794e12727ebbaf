import type { Config } from "../config/resolve-config.ts";
import type { Purpose } from "./http-request.ts";

/** Context of an attempt. */
export interface MiddlewareContext {
  /** Number of the attempt within the call, from 1. */
  readonly attempt: number;
  /** Purpose of the request. */
  readonly purpose: Purpose;
  /** Idempotency key of a submission, the same on each attempt. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Handles each attempt between the client and the network. It may change the request, read the response, or respond in
 * the service's place. It does not see the API key. The client adds the key last, unless `Authorization` is set or the
 * URL is not the service's. An error thrown before `next` ends the call with that error, since nothing was sent. A later
 * error counts as a failed connection.
 *
 * @param request - Request to the service. Pass the same object to `next` if possible: the body of a new one is read into
 * memory.
 * @param next - Calls the next middleware, or the network after the last.
 * @example
 * const timed: Middleware = async (request, next, { attempt }) => {
 *   const startedAt = performance.now();
 *   const response = await next(request);
 *   console.log(request.method, request.url, attempt, response.status, performance.now() - startedAt);
 *   return response;
 * };
 */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>;

/** Sends a request through the middleware, then with the API key. */
export async function sendThroughMiddleware(
  { fetch, middleware, baseUrl, apiKey }: Config,
  url: string,
  init: RequestInit,
  context: Omit<MiddlewareContext, "idempotencyKey">,
): Promise<Response> {
  // `duplex` is required for a stream.
  const original = new Request(url, { ...init, duplex: "half" } as RequestInit);
  const idempotencyKey = original.headers.get("idempotency-key") ?? undefined;
  let sent = false;
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
    sent = true;
    return fetch(request.url, { ...init, ...changes });
  };
  try {
    return await step(0, original);
  } catch (error) {
    throw sent ? error : { unsent: error };
  }
}
