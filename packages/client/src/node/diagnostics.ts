import type { Middleware, MiddlewareContext } from "../types/middleware.ts";
import { tracingChannel } from "node:diagnostics_channel";

import { clientClock, systemClock } from "../config/clock.ts";
import type { Clock } from "../config/options.ts";
import { redactor } from "../errors/redact.ts";
import { JobTracer } from "./job-tracer.ts";

/** Message of the channels about one attempt. Contains no API key, header, query or body. */
export interface RequestMessage extends MiddlewareContext {
  /** HTTP method, such as `POST`. */
  readonly method: string;
  /** Path of the URL, without its query. */
  readonly path: string;
  /** HTTP status, once the response headers have arrived. */
  status?: number;
  /** Milliseconds until the response headers or the error. */
  duration?: number;
  /** Message and code of the error, in the channel `error`. */
  readonly error?: Error & {
    /** Code of the error or of its cause, such as `ECONNRESET`. Absent if neither has one. */
    readonly code?: string;
  };
}

/**
 * Creates a middleware that publishes each attempt to the tracing channel `tryon:request` of `node:diagnostics_channel`.
 * It publishes `tracing:tryon:request:start` before the attempt, `:error` if the attempt fails, and `:asyncEnd` after the
 * response headers or the error.
 *
 * It also publishes each job to the tracing channel `tryon:job`, if that has subscribers: `:start` before its first request,
 * and `:asyncEnd` when this client observes its end. `:error` comes before that if the job has failed, or the submission was
 * refused and no attempt can have made a job. A job has one start and one end, also over several calls with its idempotency
 * key. One whose end is never observed, such as after `submit` alone, has no end; of these, the last 10,000 are kept.
 *
 * @example
 * import { tracingChannel } from "node:diagnostics_channel";
 *
 * import { TryOn } from "@tryon/client";
 * import { diagnostics } from "@tryon/client/node";
 *
 * tracingChannel("tryon:request").asyncEnd.subscribe((message) => console.log(message));
 * tracingChannel("tryon:job").asyncEnd.subscribe((message) => console.log(message));
 * const tryon = new TryOn({ middleware: diagnostics() });
 */
export function diagnostics(
  options: {
    /** Time source of `duration`, for tests. @default the machine's clock */
    readonly clock?: Clock | undefined;
  } = {},
): Middleware {
  const clock = clientClock(options.clock ?? systemClock);
  const channel = tracingChannel<unknown, RequestMessage>("tryon:request");
  const jobs = new JobTracer(clock, redact);
  const trace: Middleware = async (request, next, context) => {
    const { method, url } = request;
    const message: RequestMessage = { method, path: new URL(url).pathname, ...context };
    const start = clock.monotonic();
    let end: Promise<Response> | undefined;
    // Its result or error becomes part of the message. A response has only one reader, and an error can contain the
    // whole request with its key.
    const traced = channel.tracePromise(async () => {
      try {
        end = next(request);
        message.status = (await end).status;
      } catch (error) {
        throw withoutSecrets(error);
      } finally {
        message.duration = Math.round(clock.monotonic() - start);
      }
    }, message);
    await traced.catch(() => undefined);
    return end as Promise<Response>;
  };
  return (request, next, context) => jobs.trace(context, () => trace(request, next, context));
}

// The key is unknown here, but keys of the service have a known prefix.
const redact = redactor("");

function withoutSecrets(thrown: unknown): RequestMessage["error"] {
  const { message = thrown, code, cause }: Record<string, unknown> = Object(thrown);
  const redactedCode = redact(code ?? Object(cause).code);
  return Object.assign(new Error(redact(message)), redactedCode && { code: redactedCode });
}
