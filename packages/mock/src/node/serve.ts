import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { getRequestListener } from "@hono/node-server";

import type { Mock } from "../mock.ts";
import { guard, resolveLimits, serverOptions, type ServerLimits } from "./limits.ts";
import { answer } from "./answering.ts";

/** Where a server is to listen. */
export interface ServeOptions {
  /**
   * The port; 0 takes a free one.
   * @default 0
   */
  port?: number;
  /**
   * The address to listen on.
   * @default "127.0.0.1"
   */
  host?: string;
  /**
   * Whether the control API, `/__mock/*`, answers callers on other machines too; whoever can steer a server can make keys
   * on it and see every job.
   * @default false
   */
  openControl?: boolean;
  /** What the server bears from those who connect to it, where that differs from the usual. */
  limits?: Partial<ServerLimits>;
}

/** A reference server that is reached over HTTP. */
export interface Serving {
  /** The address to give to a client, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly port: number;
  readonly host: string;
  /** Takes no more connections, gives calls under way half a second, then ends them; the mock stays usable. */
  close(): Promise<void>;
}

/** How long calls under way may go on when the server is closed, in milliseconds. */
const closingGrace = 500;

/**
 * Serves a reference server over real HTTP.
 *
 * @throws Error when the port cannot be had; the message names it and the way out.
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
  const host = options.host ?? "127.0.0.1";
  const listener = getRequestListener(
    (request, bindings) => answer(mock, request, bindings, options.openControl === true),
    { overrideGlobalObjects: false },
  );
  const limits = resolveLimits(options.limits);
  const server = createServer(serverOptions(limits));
  guard(server, limits, (request, response) => void listener(request, response));
  const port = await listen(server, options.port ?? 0, host);
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: `http://${name}:${port}`, port, host, close: () => close(server) };
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
    EACCES: `port ${port} needs rights that this process does not have; choose one from 1024 up`,
    EADDRNOTAVAIL: `this machine has no address ${host}; use 127.0.0.1`,
    ENOTFOUND: `there is no host ${host}; use 127.0.0.1`,
  };
  const reason = reasons[error.code ?? ""] ?? error.message;
  return new Error(`Cannot listen on ${host}:${port}: ${reason}.`, { cause: error });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), closingGrace);
  await closed;
  clearTimeout(timer);
}
