import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Path of what the proxy itself responds to, at every origin. */
const ownPath = "/__test-kit/";

/** Runs in each document before its own scripts. A problem is reported before the script that has it continues. */
const reportProblems = `{
  const source = document.currentScript.src;
  const report = (type, text) => {
    const request = new XMLHttpRequest();
    request.open("POST", new URL(type, source), false);
    request.send(text);
  };
  addEventListener("error", ({ message }) => message && report("pageerror", message));
  addEventListener("unhandledrejection", ({ reason }) => report("pageerror", String(reason)));
  for (const [name, type] of [["error", "error"], ["warn", "warning"]]) {
    const log = console[name];
    console[name] = (...values) => {
      report(type, values.map(String).join(" "));
      log(...values);
    };
  }
}`;

export interface ProxyEvents {
  /** Number of the page that a document is for, and its scripts. */
  readonly pageOf: () => number;
  readonly scriptsOf: (page: number) => readonly string[];
  readonly onRequest: (method: string, url: string) => void;
  readonly onProblem: (page: number, type: string, text: string) => void;
}

/**
 * Starts the proxy of a browser that has no protocol for requests and scripts. It connects to this machine only, by any host
 * name, and inserts the scripts of a page into its documents.
 */
export async function startProxy(events: ProxyEvents) {
  const state = { isOffline: false };
  const server = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing, events, state.isOffline).catch(() => outgoing.destroy());
  });
  server.on("connect", (_request, socket) => socket.destroy());
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A listening server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return Object.assign(state, { port, close });
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  events: ProxyEvents,
  isOffline: boolean,
): Promise<void> {
  const { method = "", headers } = incoming;
  const url = new URL(incoming.url ?? "");
  const [, page, type] = /^\/__test-kit\/(\d+)\/(\w+)$/.exec(url.pathname) ?? [];
  if (page !== undefined && type !== undefined) {
    if (method === "POST") events.onProblem(Number(page), type, await textOf(incoming));
    outgoing.setHeader("cache-control", "no-store");
    outgoing.writeHead(200, { "content-type": "text/javascript" });
    outgoing.end([reportProblems, ...events.scriptsOf(Number(page))].join("\n"));
    return;
  }
  events.onRequest(method, url.href);
  if (isOffline) return void outgoing.destroy();
  const { "accept-encoding": _encoding, "proxy-connection": _connection, ...others } = headers;
  const { port, pathname, search } = url;
  const upstream = request({
    host: "127.0.0.1",
    port: port || 80,
    path: pathname + search,
    method,
    headers: others,
    agent: false,
  });
  // A server may respond and close the connection before it has read the body.
  upstream.on("error", () => undefined);
  upstream.once("close", () => incoming.unpipe(upstream).resume());
  outgoing.once("close", () => upstream.destroy());
  incoming.pipe(upstream);
  // Event emitters give their arguments as an array.
  const [response] = (await once(upstream, "response")) as [IncomingMessage];
  const { statusCode = 0, rawHeaders } = response;
  if (!response.headers["content-type"]?.startsWith("text/html")) {
    outgoing.writeHead(statusCode, rawHeaders);
    response.once("error", () => outgoing.destroy()).pipe(outgoing);
    return;
  }
  const script = `<script src="${ownPath}${events.pageOf()}/script"></script>`;
  const html = (await textOf(response)).replace(/^(?:<!doctype html>)?/i, `$&${script}`);
  for (const [name, value = ""] of Object.entries(response.headers))
    if (!/^(?:content-length|transfer-encoding)$/.test(name)) outgoing.setHeader(name, value);
  outgoing.writeHead(statusCode).end(html);
}

async function textOf(message: IncomingMessage): Promise<string> {
  return Buffer.concat(await message.toArray()).toString();
}
