import type { HttpResponse, Transport, TransportRequest } from "./http-request.ts";
import { sendRequest, type SendConfig } from "./send-request.ts";

/** Transport over `fetch`. */
export class FetchTransport implements Transport {
  readonly #config: SendConfig;

  constructor(config: SendConfig) {
    this.#config = config;
  }

  send(request: TransportRequest): Promise<HttpResponse> {
    return sendRequest(this.#config, request);
  }
}
