import type { IncomingMessage, ServerResponse } from "node:http";

/** A rest of a body, in bytes, that is read sooner than a new connection is made. */
const shortRest = 65_536;
/** Maximum rest of a body that is read after its response, in bytes and in milliseconds. */
const maxRest = 16_000_000;
const grace = 5_000;

/**
 * Makes of a fetch handler, such as the proxy of `@tryon/client/proxy`, one for `node:http` and what is built on it, such as
 * Express. It has to come before whatever reads bodies, such as `express.json()`. The handler gets the request of Node, too,
 * with all that middleware put there. The URL of its request has the whole path, also where Express removes the path of
 * the mount point.
 *
 * A response that is sent before its request has arrived closes the connection: after the rest of the request, or after
 * 16 MB or 5 seconds of it. A request whose `Host` or path is ambiguous gets 400.
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
  return (incoming, outgoing) => void respond(handler, incoming, outgoing);
}

async function respond<Incoming extends IncomingMessage>(
  handler: (request: Request, incoming: Incoming) => Promise<Response>,
  incoming: Incoming,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  // Left open when its reader stops, or the answer that says why could not be sent.
  const chunks = incoming.iterator({ destroyOnReturn: false });
  const answered = await answer(handler, incoming, chunks, gone.signal);
  // Something else may have answered meanwhile, such as what limits the time, and goes on to do so.
  if (!outgoing.headersSent && !outgoing.destroyed) send(incoming, outgoing, answered);
  // Node drops what it reads only when nothing else can read it.
  await chunks.return?.().catch(() => undefined);
  // HTTP/2 stops the upload of one stream when nobody reads it.
  if (incoming.httpVersionMajor < 2) incoming.resume();
}

/** Sends an answer, and what says so in place of one that Node cannot send: nobody would catch what it throws. */
function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
): void {
  const early = hasLongRest(incoming);
  try {
    for (const [name, value] of headers) outgoing.appendHeader(name, value);
    if (early) {
      outgoing.setHeader("connection", "close");
      outgoing.setHeader("content-length", body.length);
    }
    outgoing.writeHead(status);
  } catch {
    for (const [name] of headers) outgoing.removeHeader(name);
    send(incoming, outgoing, failure(500, "The handler gave an answer that cannot be sent."));
    return;
  }
  if (!early) {
    outgoing.end(body);
    return;
  }
  // Its end closes the connection. Browsers read a response once they have sent all, and a connection that is cut off
  // meanwhile can lose it.
  outgoing.flushHeaders();
  if (body.length > 0) outgoing.write(body);
  const end = (): void => {
    clearTimeout(timer);
    incoming.pause();
    outgoing.end();
  };
  const timer = setTimeout(end, grace).unref();
  let left = maxRest;
  incoming.on("data", ({ length }: Uint8Array) => {
    left -= length;
    if (left < 0) end();
  });
  incoming.once("end", end).once("close", end);
}

/** Checks for a request of HTTP/1 of which more is to come than is worth a new connection. */
function hasLongRest({ complete, httpVersionMajor, headers }: IncomingMessage): boolean {
  const { "transfer-encoding": chunked, "content-length": length } = headers;
  return !complete && httpVersionMajor < 2 && (chunked !== undefined || Number(length) > shortRest);
}

interface Answer {
  readonly status: number;
  readonly headers: Iterable<[string, string]>;
  readonly body: Uint8Array;
}

async function answer<Incoming extends IncomingMessage>(
  handler: (request: Request, incoming: Incoming) => Promise<Response>,
  incoming: Incoming,
  chunks: AsyncIterator<unknown>,
  signal: AbortSignal,
): Promise<Answer> {
  if (incoming.readableDidRead) {
    return failure(500, "The body was read before: put this handler before what reads bodies.");
  }
  let request: Request;
  try {
    request = requestOf(incoming, chunks, signal);
  } catch {
    return failure(400, "This is no request that can be understood.");
  }
  try {
    const response = await handler(request, incoming);
    const body = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body };
  } catch {
    return failure(500, "The handler failed.");
  }
}

function requestOf(
  incoming: IncomingMessage,
  chunks: AsyncIterator<unknown>,
  signal: AbortSignal,
): Request {
  const { method = "GET" } = incoming;
  // Express and others remove the path of the mount point from `url`.
  const { originalUrl }: { originalUrl?: unknown } = Object(incoming);
  const url = typeof originalUrl === "string" ? originalUrl : (incoming.url ?? "/");
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(incoming.headers)) {
    // Those of HTTP/2 that begin so are no headers.
    if (!name.startsWith(":")) headers.set(name, String(value));
  }
  const host = incoming.headers.host ?? incoming.headers[":authority"]?.toString() ?? "localhost";
  const path = url.startsWith("/") ? url : `/${url}`;
  // Joined as texts: resolved as an address, "//elsewhere" would be another host.
  const address = new URL(`http://${host}${path}`);
  // A host must not bring a path, and what routed the request has read the path as it was sent.
  if (/[/?#@\\]/.test(host) || address.pathname !== path.split(/[?#]/, 1)[0]) {
    throw new TypeError("The request has an ambiguous URL.");
  }
  if (method === "GET" || method === "HEAD")
    return new Request(address, { method, headers, signal });
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      // Without an encoding, a request gives bytes.
      else controller.enqueue(value as Uint8Array);
    },
    async cancel() {
      await chunks.return?.();
    },
  };
  // Nothing is read before somebody wants it.
  const body = new ReadableStream(source, { highWaterMark: 0 });
  // A stream can be sent only where it is said that nothing of the answer is read before its end.
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, body, duplex: "half" };
  return new Request(address, init);
}

function failure(status: number, detail: string): Answer {
  return {
    status,
    headers: [["content-type", "application/json"]],
    body: new TextEncoder().encode(JSON.stringify({ detail })),
  };
}
