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

/** Names that lead into the network of whoever runs the server. */
const internalName = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Decides by an address alone whether the server may go there: https and a public host. With `allowPrivate`, http and
 * loopback are admitted too, and nothing else that is private. The parser of URLs has by then brought every spelling of
 * an IP address (octal, hexadecimal, one number) into one form.
 */
export function guardAddress(address: string, rules: { allowPrivate: boolean }): AddressVerdict {
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

function refuse(problem: string, isPrivate: boolean): AddressVerdict {
  return { ok: false, problem, private: isPrivate };
}

function reachOf(hostname: string): "public" | "loopback" | "private" {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (/(^|\.)localhost$/.test(host)) return "loopback";
  if (internalName.test(host)) return "private";
  if (!ipaddr.isValid(host)) return "public";
  // `process` reads an IPv4 address that is wrapped into an IPv6 one as what it is.
  const ip = ipaddr.process(host);
  const range = ip.range();
  if (range === "loopback") return "loopback";
  return range === "unicast" && (ip.kind() === "ipv4" || isGlobal(ip)) ? "public" : "private";
}

/** Of IPv6, only 2000::/3 is given out for the public network (RFC 4291, IANA). */
function isGlobal(ip: IPv4 | IPv6): boolean {
  return ((ip.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}
