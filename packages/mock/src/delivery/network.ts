import { host } from "../system/host.ts";
import { bareHost, ipProblem, isIp, urlProblem, type UrlRules } from "./check-url.ts";

/**
 * Network access of the server for webhooks and images. `connect` gets the IPs that the server has checked, so
 * a later change of the DNS records has no effect.
 */
export interface Network {
  /** Resolves a host name to all of its IPs. Throws or returns none for an unknown host. */
  resolve(hostname: string): Promise<readonly string[]>;
  /**
   * Sends a request to one of these IPs only. The host name of the URL is for the `Host` header and the
   * certificate. Returns a redirect without following it.
   */
  connect(request: Request, ips: readonly string[]): Promise<Response>;
}

export class BlockedUrlError extends Error {
  override readonly name = "BlockedUrlError";
}

export function requireAllowed(url: string, rules: UrlRules): void {
  const problem = urlProblem(url, rules);
  if (problem !== undefined) throw new BlockedUrlError(problem);
}

/** Checks the IPs too if there is a network, which browsers lack. @throws BlockedUrlError */
export async function sendGuarded(
  request: Request,
  network: Network | undefined,
  rules: UrlRules,
): Promise<Response> {
  requireAllowed(request.url, rules);
  if (network === undefined) return host.fetch(request);
  const hostname = bareHost(new URL(request.url).hostname);
  const ips = isIp(hostname) ? [hostname] : [...(await network.resolve(hostname))];
  if (ips.length === 0) throw new Error(`The host ${hostname} has no IP.`);
  const problem = ipProblem(ips, rules);
  if (problem !== undefined) throw new BlockedUrlError(problem);
  return network.connect(request, ips);
}
