import type { RequestListener } from "node:http";
import { createServer } from "node:https";

import { onTestFinished } from "vitest";
import { startListening } from "@tryon/test-kit/listen";

import type { Network } from "../src/delivery/network.ts";
import { nodeNetwork } from "../src/node/network.ts";
import { authority } from "./authority.ts";

/** A public IP address; the tests connect to this machine instead. */
export const publicAddress = "93.184.216.34";

const trusted = authority();
const identity = trusted.certify("shop.example");

export interface HostOptions {
  /** Returns the IP addresses of a host name on the first, second, … request. */
  readonly resolve?: (hostname: string, time: number) => readonly string[];
  /** If false, the network does not trust the server's authority. */
  readonly trust?: boolean;
}

/**
 * Starts an https server on this machine under the name `shop.example`, and a network that resolves the name to it.
 * The network records the resolved names and the IP addresses of each connection.
 */
export async function imageHost(listener: RequestListener, options: HostOptions = {}) {
  const server = createServer(identity, listener);
  const { port, close } = await startListening(server);
  onTestFinished(close);
  const resolved: string[] = [];
  const connected: string[][] = [];
  const machine = nodeNetwork(options.trust === false ? {} : { ca: trusted.ca });
  const network: Network = {
    resolve: async (hostname) => {
      resolved.push(hostname);
      return options.resolve?.(hostname, resolved.length) ?? [publicAddress];
    },
    connect: (request, addresses) => {
      connected.push([...addresses]);
      return machine.connect(request, ["127.0.0.1"]);
    },
  };
  return { url: `https://shop.example:${port}`, port, network, resolved, connected };
}
