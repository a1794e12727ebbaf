import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";

import { duration, readOptions, wholeNumber, type Rule } from "@tryon/shared/options";

import { limits as serviceLimits } from "../service/catalogue.ts";
import type { Duration } from "../system/duration.ts";
import { host } from "../system/host.ts";
import { mark } from "../version.ts";

/** Limits for connections and requests. Times are in milliseconds, or strings such as `"30s"`. */
export interface ServerLimits {
  /**
   * Maximum time to send the headers of a request.
   * @default 20000
   */
  headersTimeout: Duration;
  /**
   * Maximum time to send a whole request. The time until the response does not count, so this limit never ends a
   * synchronous request.
   * @default 300000
   */
  requestTimeout: Duration;
  /**
   * Maximum time that a connection waits for its next request.
   * @default 65000
   */
  keepAliveTimeout: Duration;
  /**
   * Maximum number of bytes in the first line and the headers of a request.
   * @default 16384
   */
  headerBytes: number;
  /**
   * Maximum number of connections; the server closes further ones.
   * @default 2000
   */
  connections: number;
}

const rules = {
  headersTimeout: { ...duration(), fallback: 20_000 },
  // Four images of 10 MB in base64 over a line of 2 Mbit/s.
  requestTimeout: { ...duration(), fallback: 300_000 },
  // More than the usual minute of a proxy, which has to close first.
  keepAliveTimeout: { ...duration(), fallback: 65_000 },
  headerBytes: { ...wholeNumber(1), fallback: 16_384 },
  connections: { ...wholeNumber(1), fallback: 2_000 },
} satisfies Record<keyof ServerLimits, Rule>;

const checkInterval = 5_000;

/** Time for a client to read its response and to stop sending, before the connection closes. */
const closeDelay = 500;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export function createLimitedServer(
  options: Partial<ServerLimits> = {},
  listener: Listener,
): Server {
  const limits = readOptions("a limit of serve", options, rules);
  const { requestTimeout, keepAliveTimeout, headerBytes } = limits;
  const headersTimeout = Math.min(limits.headersTimeout, requestTimeout);
  const server = createServer({
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: Math.min(checkInterval, headersTimeout),
  });
  const responses = new WeakMap<Duplex, ServerResponse>();
  const rejected = new WeakSet<Duplex>();
  const handle: Listener = (request, response) => {
    responses.set(request.socket, response);
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if ((length ?? encoding) !== undefined) response.once("finish", () => limitRest(request));
    listener(request, response);
  };
  server.maxConnections = limits.connections;
  server.on("request", handle);
  server.on("checkContinue", (request, response) => {
    // A body over the limit, or at the limit of a gateway, gets its error before the client sends it.
    if (!(Number(request.headers["content-length"]) > serviceLimits.bodyBytes)) {
      request.once("resume", () => response.headersSent || response.writeContinue());
    }
    handle(request, response);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (rejected.has(socket)) return;
    rejected.add(socket);
    // A response that was begun can only be broken off.
    if (!socket.writable || responses.get(socket)?.headersSent === true) socket.destroy();
    else reject(socket, ...rejection(error, limits));
  });
  return server;
}

/** Limits the time to send the rest of an unread body, which Node would discard for any time. */
function limitRest(request: IncomingMessage): void {
  if (request.complete) return;
  host
    .setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, closeDelay)
    .unref();
}

function rejection(
  { code }: NodeJS.ErrnoException,
  { headerBytes, headersTimeout, requestTimeout }: ServerLimits,
): [status: number, detail: string] {
  if (code === "HPE_HEADER_OVERFLOW") {
    return [431, `The headers are over ${headerBytes} bytes; send fewer or shorter ones.`];
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return [
      408,
      `The request took too long: the limits are ${headersTimeout} ms for the headers, ${requestTimeout} ms for all of it.`,
    ];
  }
  return [400, "The request is not valid HTTP/1.1."];
}

function reject(socket: Duplex, status: number, detail: string): void {
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Mock: ${mark}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  host.setTimeout(() => socket.destroy(), closeDelay).unref();
}
