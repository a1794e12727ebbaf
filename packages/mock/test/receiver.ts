import { createHmac } from "node:crypto";

import type { MockOptions } from "../src/mock-interface.ts";
import { manualServer } from "./caller.ts";

/** Returns the `X-Service-Signature` of the bytes. */
export function signatureOf(bytes: string | Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}

/** A webhook that a receiver got. */
export interface Received {
  readonly request: Request;
  readonly bytes: Uint8Array;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: number;
}

export type ReceiverResponse = (attempt: number) => Response | Promise<Response>;

/**
 * Creates a receiver of webhooks in process.
 *
 * @param respond returns the response to the first, second, … request.
 */
export function receiver(respond: ReceiverResponse = () => new Response(null, { status: 204 })) {
  const received: Received[] = [];
  let watched: { now(): number } | undefined;
  /** Notes the time of each request on this clock. */
  const watch = (clock: { now(): number }): void => {
    watched = clock;
  };
  const send = async (request: Request): Promise<Response> => {
    const at = watched?.now() ?? 0;
    const bytes = new Uint8Array(await request.clone().arrayBuffer());
    // A webhook's body is a JSON object, or the test fails here.
    const body = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    received.push({ request, bytes, body, at });
    return respond(received.length);
  };
  return { received, watch, send };
}

/** Creates a server, and a receiver of its webhooks that notes the server's time. */
export function withReceiver(respond?: ReceiverResponse, options: MockOptions = {}) {
  const { received, watch, send } = receiver(respond);
  const server = manualServer({ seed: "hooks", sendWebhook: send, ...options });
  watch(server.mock.clock);
  return { ...server, received };
}
