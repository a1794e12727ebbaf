import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

/** What the guard found: the parsed address, or why the server does not go there. */
export type AddressVerdict =
  | { readonly ok: true; readonly url: URL }
  | {
      readonly ok: false;
      readonly problem: string;
      /** Whether the address would pass where private targets are allowed. */
      readonly private: boolean;
    };

/** What the server may be let into besides the public network. */
export interface AddressRules {
  /** Whether http and loopback are admitted. */
  readonly allowPrivate: boolean;
}

/** Names that lead into the network of whoever runs the server. */
const internalName = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

/** Services of clouds that tell a machine about itself at an address of the public ranges (here Azure's). */
const metadataAddresses = new Set(["168.63.129.16"]);

/**
 * Decides by an address alone whether the server may go there: https and a public host. With `allowPrivate`, http and
 * loopback are admitted too, and nothing else that is private. The parser of URLs has by then brought every spelling of
 * an IP address (octal, hexadecimal, one number) into one form.
 */
export function guardAddress(address: string, rules: AddressRules): AddressVerdict {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return refuse("invalid URL; give an absolute https address.", false);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return refuse(
      `invalid URL; the scheme is ${url.protocol.slice(0, -1)} and has to be https.`,
      false,
    );
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("invalid URL; it carries a user name or password, which is not taken.", false);
  }
  const reach = reachOf(url.hostname);
  if (rules.allowPrivate && reach !== "private") return { ok: true, url };
  if (reach !== "public") {
    return refuse(
      "blocked URL; the host is not a public one. Give an address that can be reached from outside.",
      reach === "loopback",
    );
  }
  if (url.protocol !== "https:") return refuse("blocked URL; http is not taken, use https.", true);
  return { ok: true, url };
}

function refuse(problem: string, isPrivate: boolean): Extract<AddressVerdict, { ok: false }> {
  return { ok: false, problem, private: isPrivate };
}

/** Where a host leads to. */
type Reach = "public" | "loopback" | "private";

/**
 * Decides by the IP addresses that a name has whether the server may connect to them. One that is not allowed spoils
 * all: which of them is connected to is not known beforehand.
 *
 * @returns why not, or undefined.
 */
export function guardResolved(
  addresses: readonly string[],
  rules: AddressRules,
): Extract<AddressVerdict, { ok: false }> | undefined {
  const reaches = addresses.map(reachOfResolved);
  const allowed = (reach: Reach): boolean =>
    reach === "public" || (reach === "loopback" && rules.allowPrivate);
  if (reaches.every(allowed)) return undefined;
  return refuse(
    "blocked URL; the name of its host leads to an address that is not public.",
    !reaches.includes("private"),
  );
}

function reachOfResolved(address: string): Reach {
  // ipaddr.js takes the outdated form ::1.2.3.4 for a wrapped IPv4 address, which machines do not.
  return isIp(address) && !/^::\d+\./.test(address) ? reachOf(address) : "private";
}

/** What an IP address looks like in any of its spellings: it has a colon, or its last part begins with a digit. */
const likeIp = /:|(^|\.)\d[^.]*$/;

/** Whether a host is an IP address and not a name. */
export function isIp(host: string): boolean {
  // For a name the parser makes and catches an error, which takes longer than all other checks of a call together.
  return likeIp.test(host) && ipaddr.isValid(host);
}

function reachOf(hostname: string): Reach {
  const host = bareHost(hostname).replace(/\.+$/, "");
  if (/(^|\.)localhost$/.test(host)) return "loopback";
  if (internalName.test(host)) return "private";
  if (!isIp(host)) return "public";
  // `process` reads an IPv4 address that is wrapped into an IPv6 one as what it is.
  const ip = ipaddr.process(host);
  const range = ip.range();
  if (range === "loopback") return "loopback";
  if (range !== "unicast" || metadataAddresses.has(ip.toString())) return "private";
  return ip.kind() === "ipv4" || isGlobal(ip) ? "public" : "private";
}

/** A host without the brackets that an IPv6 address has in a URL. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Of IPv6, only 2000::/3 is given out for the public network (RFC 4291, IANA). */
function isGlobal(ip: IPv4 | IPv6): boolean {
  return ((ip.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}
