import type { Client } from "openapi-fetch";

import type { paths } from "../generated/openapi.ts";
import { randomKey } from "../http/random-key.ts";
import type { RawParts } from "./raw-client.ts";

const bodilessStatuses = new Set([204, 205, 304]);

/** openapi-fetch on the transport of this package. */
export async function contractClient(parts: RawParts): Promise<Client<paths>> {
  const { baseUrl } = parts.settings;
  // Late also where this file is not: few need it.
  const { default: createClient } = await import("openapi-fetch");
  return createClient<paths>({ baseUrl, fetch: (request) => forward(request, parts) });
}

async function forward(request: Request, parts: RawParts): Promise<Response> {
  const { settings, InputError, Trail, send, within } = parts;
  const { method, url, signal } = request;
  if (!url.startsWith(`${settings.baseUrl}/`)) {
    throw new InputError("baseUrl", "of a raw call is not the client's", {
      hint: "Make another client: the key goes nowhere else.",
    });
  }
  const keyed = method === "POST" && /\/tryon\/?$/.test(url);
  const headers = Object.fromEntries(request.headers);
  // Without one, a submission that is sent again would be a second, paid try-on.
  if (keyed) headers["idempotency-key"] ||= randomKey();
  // Not every browser has `request.body`, which would tell before reading.
  const bytes = new Uint8Array(await request.arrayBuffer());
  const answer = await within(settings, { signal }, settings.timeout, (deadline) =>
    send(settings, ({ redirect }) => !redirect, {
      name: `${method} ${new URL(url).pathname}`,
      request: { method, url, headers, body: bytes.length > 0 ? bytes : undefined },
      purpose: keyed ? "submit" : "read",
      held: keyed,
      trail: new Trail(),
      deadline,
    }),
  );
  const { status, text } = answer;
  return new Response(bodilessStatuses.has(status) ? null : text, {
    status,
    headers: answer.headers,
  });
}
