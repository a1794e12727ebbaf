import { accepting, func, readOptions, type Rule } from "@tryon/shared/options";
import { resolveName, sendTo } from "@tryon/shared/pinned-request";

import type { Network } from "../delivery/network.ts";

/** Options of `nodeNetwork`. */
export interface NodeNetworkOptions {
  /**
   * Certificates of trusted authorities, in PEM.
   * @default Node's authorities
   */
  ca?: string | readonly string[];
  /**
   * Resolves a host name to all its IP addresses.
   * @default the machine's resolver
   */
  resolve?: Network["resolve"];
}

/**
 * Creates a network for webhooks and images. It resolves a host name, checks every IP address of it, and connects to
 * one that passed. The command always uses it.
 *
 * @throws TypeError for an unknown option.
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 * import { nodeNetwork } from "@tryon/mock/node";
 *
 * const mock = createMock({ images: "fetch", network: nodeNetwork() });
 * ```
 */
export function nodeNetwork(options: NodeNetworkOptions = {}): Network {
  const { ca, resolve } = readOptions("an option of nodeNetwork", options, {
    ca: accepting<string | readonly string[]>(
      "a certificate in PEM, or a list of them",
      (given) => typeof given === "string" || Array.isArray(given),
    ),
    resolve: { ...func<Network["resolve"]>(), fallback: resolveName },
  } satisfies Record<keyof NodeNetworkOptions, Rule>);
  const trust = ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] };
  return {
    resolve,
    connect: (request, addresses) => sendTo(request, addresses, trust),
  };
}
