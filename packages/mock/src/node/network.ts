import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { isIP } from "node:net";
import { Readable } from "node:stream";

import { rejectUnknownNames } from "@tryon/command-line/known-names";

import { bareHost } from "../delivery/check-url.ts";
import type { Network } from "../delivery/network.ts";
import { nullBodyStatuses } from "../http/responses.ts";

/** Options of `nodeNetwork`. */
export interface NodeNetworkOptions {
  /**
   * Certificates of trusted authorities, in PEM.
   * @default Node's authorities
   */
  ca?: string | readonly string[];
  /**
   * Resolves a host name to all its IP addresses.
   * @default the machine's resolver
   */
  resolve?: Network["resolve"];
}

/**
 * Creates a network for webhooks and images. It resolves a host name, checks every IP address of it, and connects to
 * one that passed. The command always uses it.
 *
 * @throws TypeError for an unknown option.
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 * import { nodeNetwork } from "@tryon/mock/node";
 *
 * const mock = createMock({ images: "fetch", network: nodeNetwork() });
 * ```
 */
export function nodeNetwork(options: NodeNetworkOptions = {}): Network {
  const names = ["ca", "resolve"] satisfies (keyof NodeNetworkOptions)[];
  rejectUnknownNames(options, names, "Unknown option", "the options of nodeNetwork are");
  const { ca } = options;
  const trust = ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] };
  return {
    resolve: options.resolve ?? resolveName,
    connect: (request, addresses) => connect(request, addresses, trust),
  };
}

async function resolveName(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

async function connect(
  request: Request,
  addresses: readonly string[],
  trust: { readonly ca?: string | string[] },
): Promise<Response> {
  const url = new URL(request.url);
  // TLS is loaded only when it is used: the command starts faster without it.
  const secure = url.protocol === "https:";
  const send = secure ? (await import("node:https")).request : httpRequest;
  const body = new Uint8Array(await request.arrayBuffer());
  const options = {
    ...trust,
    method: request.method,
    host: bareHost(url.hostname),
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
    lookup: pinned(addresses),
    // A reused connection could lead to an IP address that was checked for another request.
    agent: false,
  } satisfies RequestOptions & { ca?: string | string[] };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = send(options, (incoming) => {
      open = incoming;
      resolve(incoming);
    });
    // With Node's option `signal`, an aborted body would end as if it were whole.
    let open: { destroy(reason: Error): unknown } = sending;
    const stop = (): void => {
      open.destroy(new Error("The request was aborted.", { cause: request.signal.reason }));
    };
    request.signal.addEventListener("abort", stop, { once: true });
    // This also keeps the request in memory with the connection: the signal of a collected request never fires.
    sending.once("close", () => request.signal.removeEventListener("abort", stop));
    sending.on("error", reject);
    if (request.signal.aborted) stop();
    else sending.end(body);
  });
  return toResponse(message);
}

/** Replaces name resolution: every name has these IP addresses. */
function pinned(addresses: readonly string[]): NonNullable<RequestOptions["lookup"]> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (options.all === true) callback(null, found);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(new Error("The host name has no IP address."), "");
  };
}

function toResponse(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (nullBodyStatuses.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  // Node's type and the web standard's type describe the same stream.
  const body = Readable.toWeb(message) as ReadableStream<Uint8Array>;
  return new Response(body, { status, headers });
}
