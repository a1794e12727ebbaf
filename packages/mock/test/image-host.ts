import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

import type { Network } from "../src/delivery/network.ts";
import { nodeNetwork } from "../src/node/network.ts";
import { authority } from "./authority.ts";

/** An address that looks public; the tests connect to this machine in its place. */
export const publicAddress = "93.184.216.34";

const trusted = authority();
const identity = trusted.vouchFor("shop.example");

export interface HostOptions {
  /** The addresses that a name has, when it is asked for for the first, second, … time. */
  readonly resolve?: (hostname: string, time: number) => readonly string[];
  /** Whether the server's authority is trusted. */
  readonly trust?: boolean;
}

/**
 * A real https server on this machine that passes for `shop.example`, and a network through which it is found there.
 * The network notes what was resolved and which addresses were connected to.
 */
export async function imageHost(listener: RequestListener, options: HostOptions = {}) {
  const server = createServer(identity, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
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
