import { InputError, type TryOn } from "@tryon/client";

import { randomKey } from "../http/random-key.ts";
import type { Purpose } from "../types/middleware.ts";

/** Statuses of responses that have no body. */
const bodilessStatuses = new Set([204, 205, 304]);

/** Sends a request of the caller to the service. Returns responses of any status, but no redirect. */
export async function sendRaw(tryon: TryOn, request: Request): Promise<Response> {
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
  // Some browsers have no `request.body`.
  const bytes = new Uint8Array(await request.arrayBuffer());
  const body = bytes.length > 0 ? bytes : undefined;
  const name = `${method} ${pathname}`;
  const response = await tryon.send({ name, purpose, method, url, headers, body, signal });
  const { status, text } = response;
  return new Response(bodilessStatuses.has(status) ? null : text, {
    status,
    headers: response.headers,
  });
}

function purposeOf(method: string, path: string): Purpose {
  if (method === "GET" || method === "HEAD") return "read";
  if (method === "POST" && /\/tryon\/?$/.test(path)) return "submit";
  if (method === "POST" && /\/credits\/purchase\/?$/.test(path)) return "purchase";
  return "write";
}
