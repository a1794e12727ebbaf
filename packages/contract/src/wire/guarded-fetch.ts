import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { Readable } from "node:stream";

import { zoneOf, type Zone } from "./ip-zones.ts";
import { headersOf } from "./incoming-headers.ts";

/** A request for a URL that the deployment names. */
interface NamedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redirect: "manual";
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** Returns every IP of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Returns a `fetch` for URLs that the deployment names. It refuses an IP that is not public, unless the deployment itself
 * is in that part of the network. It connects to the IPs that it has checked, and follows no redirect.
 *
 * @param fetch sends the requests if given. It resolves names itself, so the check only covers the host in the URL.
 */
export function guardedFetch(
  baseUrl: string,
  fetch: typeof globalThis.fetch | undefined,
  resolve: Resolve = fetch === undefined ? resolveName : resolveLocalhost,
): (url: string, request: NamedRequest) => Promise<Response> {
  const own = ipsOf(new URL(baseUrl), resolve).then(zonesOf, () => new Set<Zone>());
  return async (text, request) => {
    const url = new URL(text);
    const ips = await ipsOf(url, resolve);
    const allowed = await own;
    for (const ip of ips) {
      const zone = zoneOf(ip);
      if (zone === undefined || allowed.has(zone)) continue;
      throw new Error(
        `the host has the ${zone} IP ${ip}, and the deployment is not in that network`,
      );
    }
    return fetch === undefined ? connect(url, request, ips) : fetch(text, request);
  };
}

/** The zones that a deployment is in. It is in none if one of its IPs is public. */
function zonesOf(ips: readonly string[]): ReadonlySet<Zone> {
  const zones = ips.map(zoneOf).filter((zone) => zone !== undefined);
  return new Set(zones.length === ips.length ? zones : []);
}

function ipsOf({ hostname }: URL, resolve: Resolve): Promise<readonly string[]> {
  const host = hostname.replaceAll(/[[\]]/g, "");
  return isIP(host) === 0 ? resolve(host) : Promise.resolve([host]);
}

async function resolveName(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

async function resolveLocalhost(host: string): Promise<readonly string[]> {
  return /(^|\.)localhost\.?$/.test(host) ? ["127.0.0.1"] : [];
}

/** The global `fetch` would resolve the name again, and could get another IP. */
async function connect(
  url: URL,
  { method, headers, body, signal }: NamedRequest,
  ips: readonly string[],
): Promise<Response> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const options: RequestOptions = {
    method,
    headers: { ...headers, "accept-encoding": "identity" },
    signal,
    lookup: pinned(ips),
    // A connection that is kept open was checked for another request.
    agent: false,
  };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, options, resolve).on("error", reject).end(body);
  });
  const status = message.statusCode ?? 0;
  const init = { status, headers: headersOf(message) };
  if ([204, 205, 304].includes(status)) {
    message.resume();
    return new Response(null, init);
  }
  // Node and the web standard have two types for the same stream.
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>, init);
}

/** Replaces name resolution: every name has these IPs. */
function pinned(ips: readonly string[]): NonNullable<RequestOptions["lookup"]> {
  const found = ips.map((ip) => ({ address: ip, family: isIP(ip) }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all === true) callback(null, found);
    else if (first === undefined) callback(new Error("The host has no IP."), "");
    else callback(null, first.address, first.family);
  };
}
