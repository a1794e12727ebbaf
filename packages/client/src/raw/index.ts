import { InputError, type paths, type TryOn } from "@tryon/client";
import createClient, { type Client } from "openapi-fetch";

import { randomKey } from "../jobs/job-submitter.ts";
import type { Purpose } from "../types/middleware.ts";

/** Typed client of every endpoint, with the methods of openapi-fetch. */
export type RawClient = Client<paths>;

/**
 * Creates an openapi-fetch client of the service that uses the key, retries and time limits of a `TryOn`. Responses with
 * an error status come back as `error`. Budgets do not count what you submit here. A submission without an
 * `Idempotency-Key` gets a random one for its retries. If its response is lost, the error has it as `idempotencyKey`:
 * repeat the submission with that key. Purchases are retried, since a token
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

async function sendRaw(tryon: TryOn, request: Request): Promise<Response> {
  const { method, url, signal } = request;
  if (!url.startsWith(`${tryon.serviceUrl}/`)) {
    throw new InputError("baseUrl", "of a raw call is not the client's", {
      hint: "Create another TryOn: a client sends its key only to its own baseUrl.",
    });
  }
  const { pathname } = new URL(url);
  const purpose = purposeOf(method, pathname);
  const headers: Record<string, string> = {
    accept: "application/json",
    ...Object.fromEntries(request.headers),
  };
  // A submission without a key would be a second, paid try-on when it is retried.
  if (purpose === "submit") headers["idempotency-key"] ||= randomKey();
  const body = (await request.text()) || undefined;
  const name = `${method} ${pathname}`;
  const sent = tryon.send({ name, purpose, method, url, headers, body, signal });
  const response = await sent.catch((error: unknown) => {
    // Only with the key can the caller repeat a submission whose response was lost.
    if (purpose === "submit") {
      Reflect.set(Object(error), "idempotencyKey", headers["idempotency-key"]);
    }
    throw error;
  });
  // A response with status 204, 205 or 304 must have no body.
  const { response: received, text } = response;
  const init = received.toResponse?.() ?? (received as Response);
  return new Response(text || null, init);
}

function purposeOf(method: string, path: string): Purpose {
  if (method === "GET" || method === "HEAD") return "read";
  if (method === "POST" && /\/tryon\/?$/.test(path)) return "submit";
  if (method === "POST" && /\/credits\/purchase\/?$/.test(path)) return "purchase";
  return "write";
}
