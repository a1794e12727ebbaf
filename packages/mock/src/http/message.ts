import { boundedBytes } from "../bounded-bytes.ts";
import type { Bytes } from "../engine/engine.ts";
import type { ServerRule } from "../generated/server-rules.ts";

/** Headers with names in lower case. Repeated ones are joined by commas. */
export type RequestHeaders = Pick<Headers, "get"> &
  Iterable<readonly [name: string, value: string]>;

/** Request to the server, from whichever transport it came. Only the transports use web objects. */
export interface HttpRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path without the query, normalized as in a `URL`. */
  readonly path: string;
  /** Query with its question mark, or an empty text. */
  readonly search: string;
  /** If true, the whole body is in memory already. */
  readonly isBuffered: boolean;
  readonly headers: RequestHeaders;
  /** Entry of the journal, which no other part reads. */
  journaled?: object;
  /** Reads the body once, and returns undefined for one of more than `max` bytes. Rejects if the connection breaks. */
  readBody(max: number): Promise<Uint8Array | undefined>;
}

export interface HttpResponse {
  readonly status: number;
  /** Headers by their names in lower case. The length of a body in memory is left to the transport. */
  readonly headers: Record<string, string>;
  /** A stream only if a function that wraps the `fetch` of the mock has made the response. */
  readonly body: string | Bytes | ReadableStream<Uint8Array> | null;
  /** Number of bytes after which the connection breaks, if that is less than the length of the body. */
  readonly truncateAt?: number | undefined;
  /** Rule of the service that the request broke. */
  readonly rule?: ServerRule | undefined;
  /** If true, a gateway sent the response, so it has no headers of the service. */
  readonly isOfGateway?: true;
}

export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

// Registered symbols: the CommonJS files of the package each have a copy of this module.
const handlerKey = Symbol.for("@tryon/mock handler");
const responseKey = Symbol.for("@tryon/mock response");

/** Attaches the handler behind a `fetch`, so that a server can call it without web objects. */
export function withHandler<Fetch extends typeof globalThis.fetch>(
  fetch: Fetch,
  handler: Handler,
): Fetch {
  return Object.assign(fetch, { [handlerKey]: handler });
}

/** Returns the handler of the `fetch` of a mock. A function that wraps it has none. */
export function handlerOf(fetch: typeof globalThis.fetch): Handler | undefined {
  // Only `withHandler` sets a property of this name.
  return (fetch as { [handlerKey]?: Handler })[handlerKey];
}

/** Reads a web request. `text` is its body if the request itself has none. */
export function fromWebRequest(request: Request, text?: string): HttpRequest {
  const { method, headers } = request;
  const { origin, pathname, search } = new URL(request.url);
  return {
    method,
    origin,
    path: pathname,
    search,
    isBuffered: text !== undefined,
    headers,
    readBody: async (max) => {
      if (text === undefined) {
        // Firefox has no `Request.body`.
        return boundedBytes(request.body ?? (await request.blob()).stream(), max);
      }
      const bytes = encoder.encode(text);
      return bytes.length > max ? undefined : bytes;
    },
  };
}

const encoder = new TextEncoder();

/** Creates a web response, from which `fromWebResponse` gets the body back without a stream. */
export function toWebResponse(response: HttpResponse): Response {
  const { status, headers, body, truncateAt } = response;
  let given = body;
  if (truncateAt !== undefined && body !== null && !(body instanceof ReadableStream)) {
    const bytes = typeof body === "string" ? encoder.encode(body) : body;
    if (truncateAt < bytes.length) {
      headers["content-length"] = String(bytes.length);
      given = failingBody(bytes.slice(0, truncateAt));
    }
  }
  return Object.assign(new Response(given, { status, headers }), { [responseKey]: response });
}

/** Reads a web response. Its status and headers may have changed since `toWebResponse`. */
export function fromWebResponse(response: Response): HttpResponse {
  // Only `toWebResponse` sets a property of this name.
  const own = (response as { [responseKey]?: HttpResponse })[responseKey];
  const headers = Object.fromEntries(response.headers);
  const { status } = response;
  return { status, headers, body: own?.body ?? response.body, truncateAt: own?.truncateAt };
}

function failingBody(sent: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (sent.length > 0) controller.enqueue(sent);
      },
      pull(controller) {
        const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
        controller.error(new TypeError("terminated", { cause }));
      },
    },
    // Prevents reading ahead, or the error would replace the bytes.
    { highWaterMark: 0 },
  );
}
