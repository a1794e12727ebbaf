import { host } from "../system/host.ts";
import { bareHost, guardAddress, guardResolved, isIp, type AddressRules } from "./address-guard.ts";

/**
 * How the server reaches the hosts of webhooks and images. The two steps are apart so that what is connected to is what
 * was checked, whatever a name resolves to a moment later.
 */
export interface Network {
  /** Every IP address that a host name has; throws, or gives none, when there is no such host. */
  resolve(hostname: string): Promise<readonly string[]>;
  /**
   * Sends a request to one of these IP addresses and nowhere else. The name in the request's URL is only what the host
   * is called, in the `Host` header and in its certificate. A redirect is answered as it is, and not followed.
   */
  connect(request: Request, addresses: readonly string[]): Promise<Response>;
}

/** What is admitted besides public hosts, and the setting that says so. */
export interface SendingRules extends AddressRules {
  readonly setting: "allowPrivateWebhooks" | "allowPrivateImages";
}

/** The server does not go where it was sent; the message says why and what to do. */
export class BlockedAddress extends Error {
  constructor(
    { problem, private: isPrivate }: { problem: string; private: boolean },
    setting: string,
  ) {
    super(isPrivate ? `${problem} The setting ${setting} admits loopback.` : problem);
    this.name = "BlockedAddress";
  }
}

/** @throws BlockedAddress when an address alone tells that the server must not go there. */
export function mustPass(address: string, rules: SendingRules): URL {
  const verdict = guardAddress(address, rules);
  if (!verdict.ok) throw new BlockedAddress(verdict, rules.setting);
  return verdict.url;
}

/**
 * Sends a request to where the guard lets it. Without a network, as in a browser, there is no telling what a name
 * resolves to: then the address alone decides.
 *
 * @throws BlockedAddress
 */
export async function sendGuarded(
  request: Request,
  network: Network | undefined,
  rules: SendingRules,
): Promise<Response> {
  const hostname = bareHost(mustPass(request.url, rules).hostname);
  if (network === undefined) return host.fetch(request);
  const addresses = isIp(hostname) ? [hostname] : [...(await network.resolve(hostname))];
  if (addresses.length === 0) throw new Error(`The name ${hostname} has no address.`);
  const refused = guardResolved(addresses, rules);
  if (refused !== undefined) throw new BlockedAddress(refused, rules.setting);
  return network.connect(request, addresses);
}
