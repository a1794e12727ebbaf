import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { safeVerify, type TryOnCompletedEvent } from "@tryon/webhooks";

/** A webhook receiver on this machine. */
export interface Receiver {
  /** URL to submit as `webhook_url`. */
  readonly url: string;
  /** First event with a valid signature. */
  readonly event: Promise<TryOnCompletedEvent>;
  close(): void;
}

/** Starts a server that verifies webhooks and rejects requests with an invalid signature. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const { promise: event, resolve } = Promise.withResolvers<TryOnCompletedEvent>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const outcome = await safeVerify({ body: request, secrets: secret });
    response.writeHead(outcome.ok ? 204 : 400).end();
    // Events added to the service later have no status.
    if (outcome.ok && outcome.event.status !== null) resolve(outcome.event);
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server has an `AddressInfo`.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks/tryon`,
    event,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
