import { BlockList, isIP } from "node:net";

import { isLoopback as isLoopbackName } from "@tryon/shared/key-url";
import { resolveName, sendTo } from "@tryon/shared/pinned-request";

const subnets = {
  loopback: "127.0.0.0/8 ::1/128",
  "link-local": "169.254.0.0/16 fe80::/10",
  private: "10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7",
  // 168.63.129.16 is the metadata service of a cloud.
  reserved: `0.0.0.0/8 168.63.129.16/32 192.0.0.0/24 192.0.2.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4 2001::/32 2001:db8::/32 2002::/16`,
};

type Zone = keyof typeof subnets;

const zones = Object.entries(subnets).map(
  // The names are those of the object.
  ([zone, text]) => [zone as Zone, listOf(text)] as const,
);

const publicIpv6 = listOf("2000::/3");

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
): (url: string, request: RequestInit) => Promise<Response> {
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
    return fetch === undefined ? sendTo(new Request(url, request), ips) : fetch(text, request);
  };
}

/** The zones that a deployment is in. It is in none if one of its IPs is public. */
function zonesOf(ips: readonly string[]): ReadonlySet<Zone> {
  const found = ips.map(zoneOf).filter((zone) => zone !== undefined);
  return new Set(found.length === ips.length ? found : []);
}

function ipsOf({ hostname }: URL, resolve: Resolve): Promise<readonly string[]> {
  const host = hostname.replaceAll(/[[\]]/g, "");
  return isIP(host) === 0 ? resolve(host) : Promise.resolve([host]);
}

async function resolveLocalhost(host: string): Promise<readonly string[]> {
  return /(^|\.)localhost\.?$/.test(host) ? ["127.0.0.1"] : [];
}

function zoneOf(ip: string): Zone | undefined {
  const family = isIP(ip) === 6 ? "ipv6" : "ipv4";
  const bare = ip.replace(/%.*$/, "");
  // A list also finds an IPv4 inside an IPv6.
  const [zone] = zones.find(([, list]) => list.check(bare, family)) ?? [];
  if (zone !== undefined || family === "ipv4" || publicIpv6.check(bare, family)) return zone;
  return "reserved";
}

/** If true, a URL leads to this machine by its host alone. */
export function isLoopback(url: string): boolean {
  return isLoopbackName(new URL(url).hostname);
}

function listOf(text: string): BlockList {
  const list = new BlockList();
  for (const subnet of text.split(/\s+/)) {
    const [network = "", prefix] = subnet.split("/");
    list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
