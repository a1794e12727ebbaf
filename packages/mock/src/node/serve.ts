import { ServerResponse, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";

import { getRequestListener, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

import {
  anything,
  boolean,
  readOptions,
  string,
  wholeNumber,
  type Rule,
} from "@tryon/shared/options";

import { isControlRequest } from "../control/routes/control-app.ts";
import { earlyResponse, isConnectionReset } from "../http/broken-connection.ts";
import { marksOf } from "../http/marks.ts";
import type { Mock } from "../mock.ts";
import { host as machine, turn } from "../system/host.ts";
import { controlRefusal, controlTokenOf } from "./control-access.ts";
import { createLimitedServer, type ServerLimits } from "./limits.ts";

/** Options of `serve`. */
export interface ServeOptions {
  /**
   * Port to listen on; 0 takes a free one.
   * @default 0
   */
  port?: number;
  /**
   * Host name or IP address to listen on.
   * @default "127.0.0.1"
   */
  host?: string;
  /**
   * If true, the control API, `/__mock/*`, is open to other machines too, and needs no token. Its callers can create keys
   * and read every job.
   * @default false
   */
  openControl?: boolean;
  /**
   * Token that callers of the control API send as `Authorization: Bearer`: 16 to 200 letters, digits, `_` and `-`.
   * @default a random one
   */
  controlToken?: string | undefined;
  /** Limits for connections and requests. */
  limits?: Partial<ServerLimits>;
}

/** A reference server over HTTP. */
export interface Serving {
  /** Base URL for a client, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Port that the server listens on, also when the option was 0. */
  readonly port: number;
  /** Host that the server listens on, as in the option. */
  readonly host: string;
  /** Token of the control API. */
  readonly controlToken: string;
  /** Closes the server; requests in progress get half a second. The mock stays usable. */
  close(): Promise<void>;
}

const rules = {
  port: { ...wholeNumber(0, 65_535), fallback: 0 },
  host: { ...string(), fallback: "127.0.0.1" },
  openControl: { ...boolean(), fallback: false },
  controlToken: anything<string>(),
  limits: anything<Partial<ServerLimits>>(),
} satisfies Record<keyof ServeOptions, Rule>;

/** Time for requests in progress when the server is closed, in milliseconds. */
const closeTimeout = 500;

/**
 * Serves a reference server over HTTP.
 *
 * @throws Error if the port is not available; the message names it and the fix. TypeError for an unknown option or limit, or
 * an invalid token.
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 * import { serve } from "@tryon/mock/node";
 *
 * const server = await serve(createMock(), { port: 0 });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serve(
  mock: Pick<Mock, "fetch">,
  options: ServeOptions = {},
): Promise<Serving> {
  const given = readOptions("an option of serve", options, rules);
  const { port: requestedPort, host, openControl, limits } = given;
  const controlToken = controlTokenOf(given.controlToken);
  const requiredToken = openControl ? undefined : controlToken;
  const listener = getRequestListener(
    (request, bindings) => respond(mock, plainRequest(request, bindings), bindings, requiredToken),
    { overrideGlobalObjects: false },
  );
  const server = createLimitedServer(limits, (...exchange) => void listener(...exchange));
  const port = await listen(server, requestedPort, host);
  const name = host.includes(":") ? `[${host}]` : host;
  const url = `http://${name}:${port}`;
  return { url, port, host, controlToken, close: () => close(server) };
}

/** Returns a request that happy-dom can read: its `Request` takes no headers of another class. */
function plainRequest(request: Request, { incoming }: HttpBindings | Http2Bindings): Request {
  if (Symbol.toStringTag in Headers.prototype) return request;
  const { method, url } = request;
  const isBodiless = method === "GET" || method === "HEAD";
  const init: RequestInit & { duplex: "half" } = {
    method,
    headers: [...request.headers],
    // Both types describe the same stream.
    body: isBodiless ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>),
    duplex: "half",
  };
  return new Request(url, init);
}

async function respond(
  mock: Pick<Mock, "fetch">,
  request: Request,
  { outgoing }: HttpBindings | Http2Bindings,
  controlToken: string | undefined,
): Promise<Response> {
  // Only HTTP/1 is served.
  if (!(outgoing instanceof ServerResponse)) return mock.fetch(request);
  if (controlToken !== undefined && isControlRequest(request)) {
    const refusal = controlRefusal(request, outgoing.req, controlToken);
    if (refusal !== undefined) return refusal;
  }
  let response: Response;
  try {
    response = await mock.fetch(request);
  } catch (error) {
    if (!isConnectionReset(error)) throw error;
    const early = earlyResponse(error);
    if (early === undefined) outgoing.socket?.resetAndDestroy();
    else {
      const headers = { ...Object.fromEntries(early.headers), connection: "close" };
      outgoing.writeHead(early.status, headers).end(marksOf(early).text);
      // Bytes of the body that arrive now reset the connection.
      outgoing.socket?.destroySoon();
    }
    return RESPONSE_ALREADY_SENT;
  }
  const { text, sent } = marksOf(response);
  if (text !== undefined && request.method !== "HEAD") {
    const headers = ["content-length", String(Buffer.byteLength(text))];
    for (const [name, value] of response.headers) headers.push(name, value);
    // Responses that are ready in one turn of the event loop are sent together. A client that falls asleep in between has to
    // be woken for each of them, which costs more than the response.
    await turn();
    // Headers and body in one write.
    outgoing.writeHead(response.status, headers).end(text);
    return RESPONSE_ALREADY_SENT;
  }
  if (sent === undefined) return response;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (sent.length > 0) outgoing.write(sent);
  else outgoing.flushHeaders();
  // Sends the bytes, then closes the connection before the rest of the announced length.
  outgoing.socket?.destroySoon();
  return RESPONSE_ALREADY_SENT;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
    server.listen(port, host, () => {
      // A server that listens on a port has an address of this form.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is taken; choose another, or 0 for a free one`,
    EACCES: `port ${port} requires more rights than this process has; choose one from 1024 up`,
    EADDRNOTAVAIL: `this machine does not have the IP address ${host}; use 127.0.0.1`,
    ENOTFOUND: `the host ${host} is unknown; use 127.0.0.1`,
  };
  const reason = reasons[error.code ?? ""] ?? error.message;
  return new Error(`Cannot listen on ${host}:${port}: ${reason}.`, { cause: error });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = machine.setTimeout(() => server.closeAllConnections(), closeTimeout);
  await closed;
  machine.clearTimeout(timer);
}
