import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { isIP } from "node:net";
import { Readable } from "node:stream";

import { bareHost } from "../delivery/check-url.ts";
import type { Network } from "../delivery/network.ts";

/** What the network of a machine is to be like. */
export interface NodeNetworkOptions {
  /**
   * Certificates, in PEM, of the authorities that are trusted.
   * @default those that Node trusts
   */
  ca?: string | readonly string[];
  /**
   * Every IP address that a host name has.
   * @default what the machine's resolver says
   */
  resolve?: Network["resolve"];
}

/** Statuses whose answers have no body, and may not be given one. */
const bodiless = new Set([204, 205, 304]);

/**
 * The network of this machine, for webhooks and images: names are resolved, every address of a name is checked, and the
 * connection goes to one that was checked. The command uses it by itself.
 *
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 * import { nodeNetwork } from "@tryon/mock/node";
 *
 * const mock = createMock({ images: "fetch", network: nodeNetwork() });
 * ```
 */
export function nodeNetwork(options: NodeNetworkOptions = {}): Network {
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
    // A connection that is kept for later would go to an address that was checked for another request.
    agent: false,
  } satisfies RequestOptions & { ca?: string | string[] };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = send(options, (answer) => {
      open = answer;
      resolve(answer);
    });
    // Node's own way to abort would end the body of an answer as if it were whole.
    let open: { destroy(reason: Error): unknown } = sending;
    const stop = (): void => {
      open.destroy(new Error("The request was aborted.", { cause: request.signal.reason }));
    };
    request.signal.addEventListener("abort", stop, { once: true });
    // This also holds the request as long as the connection: its signal would fall silent once it is collected.
    sending.once("close", () => request.signal.removeEventListener("abort", stop));
    sending.on("error", reject);
    if (request.signal.aborted) stop();
    else sending.end(body);
  });
  return answerOf(message);
}

/** Stands in for name resolution: whatever the name, these are its addresses. */
function pinned(addresses: readonly string[]): NonNullable<RequestOptions["lookup"]> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (options.all === true) callback(null, found);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(new Error("There is no address to connect to."), "");
  };
}

function answerOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (bodiless.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  // The streams of Node and of the web standard are the same thing under two names of types.
  const body = Readable.toWeb(message) as ReadableStream<Uint8Array>;
  return new Response(body, { status, headers });
}
