import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

export interface UrlRules {
  readonly allowPrivate: boolean;
  readonly setting: "allowPrivateWebhooks" | "allowPrivateImages";
}

const internalName = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

/** Metadata services of clouds in public ranges (here Azure's). */
const metadataIps = new Set(["168.63.129.16"]);

/**
 * Returns the reason to block a URL that is not https or whose host is not public. `allowPrivate` allows loopback, also
 * by http. Parsing the URL normalizes octal, hexadecimal and other forms of an IP.
 */
export function urlProblem(text: string, rules: UrlRules): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "invalid URL; use an absolute https URL.";
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `invalid URL; the scheme is ${url.protocol.slice(0, -1)} and must be https.`;
  }
  if (url.username !== "" || url.password !== "") {
    return "invalid URL; it must not contain a user name or password.";
  }
  const network = networkOf(url.hostname);
  if (rules.allowPrivate && network === "loopback") return undefined;
  if (network !== "public") {
    const hint = network === "loopback" ? ` The setting ${rules.setting} allows loopback.` : "";
    return `blocked URL; the host is not public. Use a URL that is reachable from the internet.${hint}`;
  }
  return url.protocol === "https:" ? undefined : "blocked URL; use https instead of http.";
}

type HostNetwork = "public" | "loopback" | "private";

/** Returns the reason to block the IPs of a host. All must be allowed, because the server may connect to any. */
export function ipProblem(ips: readonly string[], rules: UrlRules): string | undefined {
  const networks = new Set(ips.map(networkOfIp));
  const problem = "blocked URL; its host name resolves to an IP that is not public.";
  if (networks.has("private")) return problem;
  if (rules.allowPrivate || !networks.has("loopback")) return undefined;
  return `${problem} The setting ${rules.setting} allows loopback.`;
}

function networkOfIp(ip: string): HostNetwork {
  // ipaddr.js reads the outdated form ::1.2.3.4 as a mapped IPv4, but operating systems do not.
  return isIp(ip) && !/^::\d+\./.test(ip) ? networkOf(ip) : "private";
}

const likeIp = /:|(^|\.)\d[^.]*$/;

export function isIp(host: string): boolean {
  // For a name, `isValid` throws and catches an error, which is slower than all other checks of a request.
  return likeIp.test(host) && ipaddr.isValid(host);
}

function networkOf(hostname: string): HostNetwork {
  const host = bareHost(hostname).replace(/\.+$/, "");
  if (/(^|\.)localhost$/.test(host)) return "loopback";
  if (internalName.test(host)) return "private";
  if (!isIp(host)) return "public";
  // `process` unwraps an IPv4 that is mapped to IPv6.
  const ip = ipaddr.process(host);
  const range = ip.range();
  if (range === "loopback") return "loopback";
  if (range !== "unicast" || metadataIps.has(ip.toString())) return "private";
  return ip.kind() === "ipv4" || isGlobal(ip) ? "public" : "private";
}

export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Returns true for 2000::/3, the only public range of IPv6 (RFC 4291, IANA). */
function isGlobal(ip: IPv4 | IPv6): boolean {
  return ((ip.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}
