import type { IncomingMessage, ServerResponse } from "node:http";

/** Size of an unread body, in bytes, up to which reading it is cheaper than a new connection. */
const smallBody = 65_536;
const maxRestBytes = 16_000_000;
const maxRestTime = 5_000;

/**
 * Converts a fetch handler, such as a proxy of `@tryon/client/proxy`, to a handler for `node:http` and Express. Mount it
 * before middleware that reads bodies, such as `express.json()`.
 *
 * The second argument of the fetch handler is the request of Node, with everything that middleware added. The URL of the
 * first has the full path, including the mount path that Express removes.
 *
 * If the platform has read the body, as Google Cloud Functions and Firebase do, the bytes in `rawBody` are used.
 *
 * If the handler responds before the body has arrived, the connection closes after the rest of the body, or after 16 MB
 * or 5 seconds of it. A request whose `Host` or path is ambiguous gets 400.
 *
 * @example
 * import { createServer } from "node:http";
 * import { toNodeHandler } from "@tryon/client/node";
 * import { createProxy } from "@tryon/client/proxy";
 *
 * const proxy = createProxy({ authorize: (request) => findUser(request.headers.get("cookie")) });
 * createServer(toNodeHandler(proxy)).listen(3000); // or app.use("/api/tryon", toNodeHandler(proxy))
 */
export function toNodeHandler<Incoming extends IncomingMessage>(
  handler: (request: Request, incoming: Incoming) => Promise<Response>,
): (incoming: Incoming, outgoing: ServerResponse) => void {
  return (incoming, outgoing) =>
    void respond((request) => handler(request, incoming), incoming, outgoing);
}

async function respond(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  // Keeps the connection open for the response if the handler stops reading.
  const chunks = incoming.iterator({ destroyOnReturn: false });
  const response = await callHandler(handler, incoming, chunks, closed.signal);
  // Other middleware, such as a timeout, may have responded meanwhile.
  if (!outgoing.headersSent && !outgoing.destroyed) send(incoming, outgoing, response);
  // Node discards the rest of the body only if nothing else can read it.
  await chunks.return?.().catch(() => undefined);
  incoming.resume();
}

/** Sends a response; sends 500 instead if Node rejects its status or headers. */
function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: BufferedResponse,
): void {
  const { "transfer-encoding": chunked, "content-length": size } = incoming.headers;
  const isEarly = !incoming.complete && (chunked !== undefined || Number(size) > smallBody);
  try {
    for (const [name, value] of headers) outgoing.appendHeader(name, value);
    if (isEarly) {
      outgoing.setHeader("connection", "close");
      outgoing.setHeader("content-length", body.length);
    }
    outgoing.writeHead(status);
  } catch {
    for (const [name] of headers) outgoing.removeHeader(name);
    const instead = errorResponse(500, "The handler returned an invalid response.");
    return send(incoming, outgoing, instead);
  }
  if (!isEarly) return void outgoing.end(body);
  // The end of the response closes the connection. Browsers read a response after they have sent the whole body, and can
  // lose it if the connection closes before.
  outgoing.flushHeaders();
  if (body.length > 0) outgoing.write(body);
  const end = (): void => {
    clearTimeout(timer);
    incoming.pause();
    outgoing.end();
  };
  const timer = setTimeout(end, maxRestTime).unref();
  let left = maxRestBytes;
  incoming.on("data", ({ length }: Uint8Array) => {
    left -= length;
    if (left < 0) end();
  });
  incoming.once("end", end).once("close", end);
}

interface BufferedResponse {
  readonly status: number;
  readonly headers: Iterable<[string, string]>;
  readonly body: Uint8Array;
}

async function callHandler(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  chunks: AsyncIterator<unknown>,
  signal: AbortSignal,
): Promise<BufferedResponse> {
  const rawBody = rawBodyOf(incoming);
  if (incoming.readableDidRead && rawBody === undefined) {
    return errorResponse(500, "Other middleware has read the body. Mount this handler before it.");
  }
  let request: Request | undefined;
  try {
    request = toRequest(incoming, rawBody ?? chunks, signal);
    const response = await handler(request);
    const body = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body };
  } catch {
    return request
      ? errorResponse(500, "The handler failed.")
      : errorResponse(400, "The request has an invalid URL or header.");
  }
}

/** Returns the bytes that a platform such as Google Cloud Functions or Firebase has read before. */
function rawBodyOf(incoming: IncomingMessage): Uint8Array | undefined {
  const { rawBody }: { rawBody?: unknown } = Object(incoming);
  return rawBody instanceof Uint8Array ? rawBody : undefined;
}

function toRequest(
  incoming: IncomingMessage,
  content: AsyncIterator<unknown> | Uint8Array,
  signal: AbortSignal,
): Request {
  const { method = "GET" } = incoming;
  // Express and similar frameworks remove the mount path from `url`.
  const { originalUrl }: { originalUrl?: unknown } = Object(incoming);
  const target = typeof originalUrl === "string" ? originalUrl : (incoming.url ?? "/");
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(incoming.headers)) {
    headers.set(name, String(value));
  }
  const { host = "localhost" } = incoming.headers;
  const path = target.startsWith("/") ? target : `/${target}`;
  // Joins strings because a URL resolver would read "//elsewhere" as another host.
  const url = new URL(`http://${host}${path}`);
  // A host must not contain a path, and a router has used the path as it was sent.
  if (/[/?#@\\]/.test(host) || url.pathname !== path.split(/[?#]/, 1)[0]) {
    throw new TypeError("ambiguous URL");
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  // A runtime with node:http accepts chunks as a body and reads them on demand. The types have neither them nor `duplex`.
  const body = hasBody ? { body: content, duplex: "half" } : {};
  return new Request(url, { method, headers, signal, ...body } as RequestInit);
}

function errorResponse(status: number, detail: string): BufferedResponse {
  const body = Buffer.from(JSON.stringify({ detail }));
  return { status, headers: [["content-type", "application/json"]], body };
}
