import { tracingChannel } from "node:diagnostics_channel";

import type { Clock } from "../transport/clock.ts";
import { systemClock } from "../transport/clock.ts";
import type { Middleware, MiddlewareContext } from "../transport/middleware.ts";

/** What the channels carry of one attempt: neither the key nor a header, a query or a body. */
export interface RequestMessage extends MiddlewareContext {
  readonly method: string;
  readonly path: string;
  /** The HTTP status, once the headers of the answer are there. */
  status?: number;
  /** How long that took, or the failure, in milliseconds. */
  duration?: number;
  /** Why there is no answer: with `error`. */
  readonly error?: unknown;
}

/**
 * Tells `node:diagnostics_channel` of each attempt, as the tracing channel `tryon:request`: `tracing:tryon:request:start`
 * when it is sent, `:asyncEnd` when the headers of its answer are there, `:error` when it failed.
 *
 * @example
 * import { tracingChannel } from "node:diagnostics_channel";
 *
 * import { TryOn } from "@tryon/client";
 * import { diagnostics } from "@tryon/client/node";
 *
 * tracingChannel("tryon:request").asyncEnd.subscribe((message) => console.log(message));
 * const tryon = new TryOn({ middleware: diagnostics() });
 */
export function diagnostics(options: { readonly clock?: Clock | undefined } = {}): Middleware {
  const { clock = systemClock } = options;
  const channel = tracingChannel<unknown, RequestMessage>("tryon:request");
  return async (request, next, context) => {
    const { method, url } = request;
    const message: RequestMessage = { method, path: new URL(url).pathname, ...context };
    const startedAt = clock.now();
    let response: Response | undefined;
    // What this gives would be in the message: not the answer, whose body has one reader.
    await channel.tracePromise(async () => {
      try {
        response = await next(request);
        message.status = response.status;
      } finally {
        message.duration = clock.now() - startedAt;
      }
    }, message);
    // Without one, the line above has thrown.
    return response as Response;
  };
}
