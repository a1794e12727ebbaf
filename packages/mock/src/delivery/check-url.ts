import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

/** Result of a check: the parsed URL, or the reason to block it. */
export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly problem: string };

/** Rules for URLs. */
export interface UrlRules {
  /** If true, http and loopback are allowed. */
  readonly allowPrivate: boolean;
  /** Setting that `allowPrivate` comes from. */
  readonly setting: "allowPrivateWebhooks" | "allowPrivateImages";
}

/** Host names of private networks. */
const internalName = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

/** Metadata services of clouds in public ranges (here Azure's). */
const metadataIps = new Set(["168.63.129.16"]);

/**
 * Checks that a URL has https and a public host. `allowPrivate` also allows http and loopback. Parsing the URL
 * normalizes octal, hexadecimal and other forms of an IP.
 */
export function checkUrl(text: string, rules: UrlRules): UrlVerdict {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return blocked("invalid URL; use an absolute https URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return blocked(`invalid URL; the scheme is ${url.protocol.slice(0, -1)} and must be https.`);
  }
  if (url.username !== "" || url.password !== "") {
    return blocked("invalid URL; it must not contain a user name or password.");
  }
  const network = networkOf(url.hostname);
  if (rules.allowPrivate && network !== "private") return { ok: true, url };
  if (network !== "public") {
    return blocked(
      "blocked URL; the host is not public. Use a URL that is reachable from the internet.",
      network === "loopback" ? rules : undefined,
    );
  }
  if (url.protocol !== "https:") return blocked("blocked URL; use https instead of http.", rules);
  return { ok: true, url };
}

/** Blocks a URL. If `rules` could allow it, the problem names their setting. */
function blocked(problem: string, rules?: UrlRules): Extract<UrlVerdict, { ok: false }> {
  const hint = rules === undefined ? "" : ` The setting ${rules.setting} allows loopback.`;
  return { ok: false, problem: `${problem}${hint}` };
}

/** Network of a host. */
type HostNetwork = "public" | "loopback" | "private";

/** Checks the IPs of a host. All must be allowed, because the server may connect to any. */
export function checkResolved(
  ips: readonly string[],
  rules: UrlRules,
): Extract<UrlVerdict, { ok: false }> | undefined {
  const networks = ips.map(networkOfIp);
  const allowed = (network: HostNetwork): boolean =>
    network === "public" || (network === "loopback" && rules.allowPrivate);
  if (networks.every(allowed)) return undefined;
  return blocked(
    "blocked URL; its host name resolves to an IP that is not public.",
    networks.includes("private") ? undefined : rules,
  );
}

function networkOfIp(ip: string): HostNetwork {
  // ipaddr.js reads the outdated form ::1.2.3.4 as a mapped IPv4, but operating systems do not.
  return isIp(ip) && !/^::\d+\./.test(ip) ? networkOf(ip) : "private";
}

/** Forms of an IP: it has a colon, or its last part begins with a digit. */
const likeIp = /:|(^|\.)\d[^.]*$/;

/** Returns true if a host is an IP. */
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

/** Removes the brackets of an IPv6 in a URL. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Returns true for 2000::/3, the only public range of IPv6 (RFC 4291, IANA). */
function isGlobal(ip: IPv4 | IPv6): boolean {
  return ((ip.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}
