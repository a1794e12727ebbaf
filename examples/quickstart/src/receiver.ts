import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { safeVerify, type TryOnCompletedEvent } from "@tryon/webhooks";

/** A webhook receiver on this machine. */
export interface Receiver {
  /** The address to give as `webhook_url`. */
  readonly url: string;
  /** The first end of a job whose signature was right. */
  readonly event: Promise<TryOnCompletedEvent>;
  close(): Promise<void>;
}

/** Listens for webhooks and lets in what the secret has signed; everything else is refused. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const { promise: event, resolve } = Promise.withResolvers<TryOnCompletedEvent>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const outcome = await safeVerify({ body: request, secrets: secret });
    response.writeHead(outcome.ok ? 204 : 400).end();
    // A status of null marks an event of a kind that this version of the library does not know.
    if (outcome.ok && outcome.event.status !== null) resolve(outcome.event);
  };
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks/tryon`,
    event,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
