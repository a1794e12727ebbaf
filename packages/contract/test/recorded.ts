import type { Mock } from "@tryon/mock";

import type { Exchange } from "../src/record/exchange.ts";
import { ExchangeRecorder } from "../src/record/exchange-recorder.ts";
import { Masker, type MaskOptions } from "../src/record/mask.ts";

export function recorded(
  mock: Mock,
  options: MaskOptions = {},
): {
  readonly exchanges: Exchange[];
  readonly fetch: typeof globalThis.fetch;
} {
  const exchanges: Exchange[] = [];
  const masker = new Masker(options);
  // Times are those of the server's clock, which tests move.
  const now = (): number => mock.clock.now();
  const fetch: typeof globalThis.fetch = async (resource, init) => {
    const request = new Request(resource, init);
    const at = now();
    const { pathname, search, origin } = new URL(request.url);
    const recorder = new ExchangeRecorder(masker, {
      method: request.method,
      path: `${pathname}${search}`,
      headers: request.headers,
      key: request.headers.get("authorization"),
      origin,
    });
    recorder.send(new Uint8Array(await request.clone().arrayBuffer()));
    const response = await mock.fetch(request);
    recorder.respond(response.status, response.headers);
    const headersAfter = now() - at;
    recorder.receive(new Uint8Array(await response.clone().arrayBuffer()));
    exchanges.push(recorder.end(undefined, { at, headersAfter, endedAfter: now() - at }));
    return response;
  };
  return { exchanges, fetch };
}
