import type { Transport } from "./http-request.ts";
import { sendRequest, type SendConfig } from "./send-request.ts";

export function fetchTransport(config: SendConfig): Transport {
  const fetch: SendConfig["fetch"] = (url, init, request) => {
    request.onSend("sent");
    return config.fetch(url, init, request);
  };
  return { send: sendRequest.bind(undefined, { ...config, fetch }) };
}
