import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import {
  anything,
  boolean,
  readOptions,
  string,
  wholeNumber,
  type Rule,
} from "@tryon/shared/options";

import { earlyResponse, isConnectionReset } from "../http/broken-connection.ts";
import { fromWebResponse, handlerOf, type HttpResponse } from "../http/message.ts";
import { json } from "../http/responses.ts";
import type { Mock } from "../mock.ts";
import { host as machine } from "../system/host.ts";
import { controlRefusal, controlTokenOf } from "./control-access.ts";
import { createLimitedServer, type ServerLimits } from "./limits.ts";
import { NodeRequest } from "./node-request.ts";
import { sendEarly, sendResponse } from "./send-response.ts";

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
  const handle = handlerBehind(mock.fetch);
  const server = createLimitedServer(limits, (_incoming, outgoing) => {
    void respond(handle, outgoing, requiredToken);
  });
  const port = await listen(server, requestedPort, host);
  const name = host.includes(":") ? `[${host}]` : host;
  const url = `http://${name}:${port}`;
  return { url, port, host, controlToken, close: () => close(server) };
}

/** Returns the handler behind a `fetch`. A function that wraps that of a mock gets web requests. */
function handlerBehind(fetch: Mock["fetch"]) {
  const handler = handlerOf(fetch);
  if (handler !== undefined) return handler;
  return async (request: NodeRequest, outgoing: ServerResponse): Promise<HttpResponse> => {
    const abort = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) abort.abort();
    });
    return fromWebResponse(await fetch(request.toWeb(abort.signal)));
  };
}

async function respond(
  handle: ReturnType<typeof handlerBehind>,
  outgoing: ServerResponse,
  controlToken: string | undefined,
): Promise<void> {
  try {
    const request = NodeRequest.read(outgoing.req);
    await sendResponse(
      outgoing,
      request === undefined
        ? json({ detail: "The host or the target of the request is invalid." }, 400)
        : (controlRefusal(request, controlToken) ?? (await handle(request, outgoing))),
    );
  } catch (error) {
    const early = isConnectionReset(error) ? earlyResponse(error) : undefined;
    if (early !== undefined) sendEarly(outgoing, early);
    else if (isConnectionReset(error)) outgoing.socket?.resetAndDestroy();
    else if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(500).end();
  }
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
