import { tracingChannel } from "node:diagnostics_channel";

import type { Clock } from "../config/clock.ts";
import { systemClock } from "../config/clock.ts";
import { redactor } from "../http/redact.ts";
import type { Middleware, MiddlewareContext } from "../http/middleware.ts";

/** What the channels carry of one attempt: neither the key nor a header, a query or a body. */
export interface RequestMessage extends MiddlewareContext {
  readonly method: string;
  readonly path: string;
  /** The HTTP status, once the headers of the answer are there. */
  status?: number;
  /** How long that took, or the failure, in milliseconds. */
  duration?: number;
  /** Why there is no answer, with `error`: the words and the code of what was thrown. */
  readonly error?: Error & { readonly code?: string };
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
    let end: Promise<Response> | undefined;
    // What this gives or throws would be in the message: not the answer, whose body has one reader, and not the failure,
    // which can hold the whole request with its key.
    const traced = channel.tracePromise(async () => {
      try {
        end = next(request);
        message.status = (await end).status;
      } catch (error) {
        throw withoutSecrets(error);
      } finally {
        message.duration = clock.now() - startedAt;
      }
    }, message);
    await traced.catch(() => undefined);
    return end as Promise<Response>;
  };
}

// The key is not known here; those of the service are known by how they begin.
const redact = redactor("");

/** What a failure says, without what it holds. */
function withoutSecrets(failure: unknown): RequestMessage["error"] {
  const { message = failure, code, cause } = Object(failure) as Failure;
  const said = redact(code ?? (Object(cause) as Failure).code);
  return Object.assign(new Error(redact(message)), said && { code: said });
}

/** Anything may be thrown, and anything may be in it. */
type Failure = { readonly [Field in "message" | "code" | "cause"]?: unknown };
