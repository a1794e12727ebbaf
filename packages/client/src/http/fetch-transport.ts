import type { HttpResponse, Transport, TransportRequest } from "./http-request.ts";
import { sendRequest, type SendConfig } from "./send-request.ts";

/** Transport over `fetch`. */
export class FetchTransport implements Transport {
  readonly #config: SendConfig;

  constructor(config: SendConfig) {
    const fetch: SendConfig["fetch"] = (url, init, request) => {
      request.onSend("sent");
      return config.fetch(url, init, request);
    };
    this.#config = { ...config, fetch };
  }

  send(request: TransportRequest): Promise<HttpResponse> {
    return sendRequest(this.#config, request);
  }
}
