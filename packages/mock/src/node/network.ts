import { rejectUnknownNames } from "@tryon/command-line/known-names";
import { resolveName, sendTo } from "@tryon/command-line/pinned-request";

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
  const names = ["ca", "resolve"] satisfies (keyof NodeNetworkOptions)[];
  rejectUnknownNames(options, names, "Unknown option", "the options of nodeNetwork are");
  const { ca } = options;
  const trust = ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] };
  return {
    resolve: options.resolve ?? resolveName,
    connect: (request, addresses) => sendTo(request, addresses, trust),
  };
}
