import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { isIP } from "node:net";
import { Readable } from "node:stream";

/** Certificates of trusted authorities, in PEM. Without them, those of Node. */
interface Trust {
  readonly ca?: string | string[];
}

const nullBodyStatuses = new Set([204, 205, 304]);

export async function resolveName(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map((one) => one.address);
}

/**
 * Sends a request to one of these IPs, which the caller has checked. The global `fetch` would resolve the name
 * again, and could get another IP. Follows no redirect.
 */
export async function sendTo(
  request: Request,
  ips: readonly string[],
  trust: Trust = {},
): Promise<Response> {
  const url = new URL(request.url);
  // TLS is loaded only when it is used, so that commands start fast.
  const secure = url.protocol === "https:";
  const send = secure ? (await import("node:https")).request : httpRequest;
  const body = new Uint8Array(await request.arrayBuffer());
  const options = {
    ...trust,
    method: request.method,
    host: url.hostname.replaceAll(/^\[|\]$/g, ""),
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
    lookup: pinned(ips),
    // A reused connection could lead to an IP that was checked for another request.
    agent: false,
  } satisfies RequestOptions & Trust;
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
  const init = { status: message.statusCode ?? 0, headers: headersOf(message) };
  if (nullBodyStatuses.has(init.status)) {
    message.resume();
    return new Response(null, init);
  }
  // Node's type and the web standard's type describe the same stream.
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>, init);
}

export function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

function pinned(ips: readonly string[]): NonNullable<RequestOptions["lookup"]> {
  const found = ips.map((ip) => ({ address: ip, family: isIP(ip) }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (options.all === true) callback(null, found);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(new Error("The host name has no IP."), "");
  };
}
