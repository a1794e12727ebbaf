import {
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";

import { limits as serviceLimits } from "../service/catalogue.ts";
import { mark } from "../version.ts";

/** What a server bears from those who connect to it. Times are in milliseconds. */
export interface ServerLimits {
  /**
   * How long a caller may take to send the headers of a request.
   * @default 20000
   */
  headersTimeout: number;
  /**
   * How long a caller may take to send a whole request. The time until the answer does not count, so a held call is
   * never cut by it.
   * @default 300000
   */
  requestTimeout: number;
  /**
   * How long a connection may wait for its next request.
   * @default 65000
   */
  keepAliveTimeout: number;
  /**
   * How many bytes the first line and the headers of a request may have together.
   * @default 16384
   */
  headerBytes: number;
  /**
   * How many connections there may be at once; further ones are closed.
   * @default 2000
   */
  connections: number;
}

const defaults: ServerLimits = {
  headersTimeout: 20_000,
  // Four images of 10 MB in base64 over a line of 2 Mbit/s.
  requestTimeout: 300_000,
  // Longer than the usual minute of a proxy, which has to be the one that closes.
  keepAliveTimeout: 65_000,
  headerBytes: 16_384,
  connections: 2_000,
};

/** How often the server looks for connections whose time is up. */
const checkingInterval = 5_000;

/** How long a caller who has his answer has to read it and to stop sending, before the connection is closed. */
const readingGrace = 500;

export function resolveLimits(given: Partial<ServerLimits> = {}): ServerLimits {
  return { ...defaults, ...given };
}

export function serverOptions(limits: ServerLimits): ServerOptions {
  const { requestTimeout, keepAliveTimeout, headerBytes } = limits;
  const headersTimeout = Math.min(limits.headersTimeout, requestTimeout);
  return {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: Math.min(checkingInterval, headersTimeout),
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Puts a listener behind the limits; what the server cannot read is answered in the form of the service's errors. */
export function guard(server: Server, limits: ServerLimits, listener: Listener): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  const take: Listener = (request, response) => {
    answering.set(request.socket, response);
    response.once("finish", () => boundRest(request));
    listener(request, response);
  };
  server.maxConnections = limits.connections;
  server.on("request", take);
  server.on("checkContinue", (request, response) => {
    // Who asks first whether to send so much is told before he does.
    if (!(Number(request.headers["content-length"]) > serviceLimits.bodyBytes)) {
      response.writeContinue();
    }
    take(request, response);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    // What was begun can only be broken off.
    if (!socket.writable || answering.get(socket)?.headersSent === true) socket.destroy();
    else refuse(socket, reasonOf(error, limits));
  });
}

/** Node throws away what nobody read of a body, however long it goes on; after the answer it may not go on for long. */
function boundRest(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, readingGrace).unref();
}

interface Reason {
  readonly status: number;
  readonly detail: string;
}

function reasonOf(error: NodeJS.ErrnoException, limits: ServerLimits): Reason {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return {
      status: 431,
      detail: `The headers are over ${limits.headerBytes} bytes; send fewer or shorter ones.`,
    };
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return {
      status: 408,
      detail: `The request was not sent to its end in time: ${limits.headersTimeout} ms for the headers, ${limits.requestTimeout} ms for all of it.`,
    };
  }
  return { status: 400, detail: "This is no request that HTTP/1.1 knows." };
}

function refuse(socket: Duplex, { status, detail }: Reason): void {
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Mock: ${mark}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), readingGrace).unref();
}
