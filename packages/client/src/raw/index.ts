import type { paths, TryOn } from "@tryon/client";
import createClient, { type Client } from "openapi-fetch";

import { sendRaw } from "./send-raw.ts";

/** Typed client of every endpoint, with the methods of openapi-fetch. */
export type RawClient = Client<paths>;

/**
 * Creates an openapi-fetch client of the service that uses the key, retries and time limits of a `TryOn`. Responses with
 * an error status come back as `error`. Budgets do not count what you submit here. A submission without an
 * `Idempotency-Key` gets a random one, so that a retry is not a second, paid try-on. Purchases are retried, since a token
 * pays once. Any other request but GET is retried only if no attempt can have arrived.
 *
 * @throws `invalid_config` and `unsafe_environment`, as `new TryOn()` does. Calls reject with `connection_failed`,
 * `timed_out` or `redirected` without a response.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { createRawClient } from "@tryon/client/raw";
 *
 * const raw = createRawClient(new TryOn());
 * const { data, error } = await raw.GET("/api/v1/tryon", { params: { query: { limit: 5 } } });
 */
export function createRawClient(tryon: TryOn): RawClient {
  return createClient<paths>({
    baseUrl: tryon.serviceUrl,
    fetch: (request) => sendRaw(tryon, request),
  });
}
