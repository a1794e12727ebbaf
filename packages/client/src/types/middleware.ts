/**
 * Purpose of a request: a submission, a purchase, a GET, or any other request of `@tryon/client/raw`. Some statuses mean
 * different things by purpose. A submission has a key and a purchase has a token, so both can be repeated. `write` is not
 * retried after an attempt that may have arrived.
 *
 * @inline
 */
export type Purpose = "submit" | "purchase" | "read" | "write";

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
