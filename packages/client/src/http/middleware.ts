import type { Settings } from "../config/resolve-config.ts";
import type { Purpose } from "./response-error.ts";

/** What a middleware is told besides the request. */
export interface MiddlewareContext {
  /** Which attempt of the call this is, from 1. */
  readonly attempt: number;
  /** What the request is for. */
  readonly purpose: Purpose;
  /** The key that a submission is sent under, the same on each attempt. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Stands between the client and the network, once for each attempt. It may change the request, look at the answer, or
 * answer in the service's place. It does not see the API key, which is added last, and not when `Authorization` is set
 * or the request was led to another address. Throwing before `next` ends the call with that very error, since nothing was
 * sent; throwing later counts as a failed connection.
 *
 * @param request - Give `next` the same object, changed or not, where you can: the body of another is read into memory.
 * @param next - Goes on to the next middleware, in the end to the network.
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

/** Sends through the middleware, and then with the key. Loaded only where there is some. */
export async function sendThrough(
  { fetch, middleware, baseUrl, apiKey }: Settings,
  url: string,
  init: RequestInit,
  context: Omit<MiddlewareContext, "idempotencyKey">,
): Promise<Response> {
  // A stream can be sent only where it is said that nothing of the answer is read before its end.
  const original = new Request(url, { ...init, duplex: "half" } as RequestInit);
  const idempotencyKey = original.headers.get("idempotency-key") ?? undefined;
  let sent = false;
  const step = async (index: number, request: Request): Promise<Response> => {
    const one = middleware[index];
    if (one !== undefined) {
      return one(request, (next) => step(index + 1, next), { ...context, idempotencyKey });
    }
    // A copy, so that no middleware sees the key in a request that it keeps.
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
