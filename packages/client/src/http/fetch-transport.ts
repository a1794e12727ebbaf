import type { Transport } from "./http-request.ts";
import { sendRequest, type SendConfig } from "./send-request.ts";

/** Creates a transport over `fetch`. */
export function fetchTransport(config: SendConfig): Transport {
  return { send: (request) => sendRequest(config, request) };
}
