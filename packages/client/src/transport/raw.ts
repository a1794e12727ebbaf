import createClient, { type Client } from "openapi-fetch";

import { InputError } from "../errors/input-error.ts";
import type { paths } from "../generated/openapi.ts";
import { idempotencyKey } from "../jobs/idempotency-key.ts";
import type { Settings } from "../settings.ts";
import { within } from "./deadline.ts";
import { Trail } from "./journey.ts";
import { send } from "./send.ts";

/** Every endpoint of the service, typed by its contract, as openapi-fetch offers it. */
export type RawClient = Client<paths>;

/** The typed client of the contract on the transport of this package: its key, retries and time limits. */
export function createRawClient(settings: Settings): RawClient {
  return createClient<paths>({
    baseUrl: settings.baseUrl,
    fetch: (request) => forward(request, settings),
  });
}

async function forward(request: Request, settings: Settings): Promise<Response> {
  const { method, url, headers, signal } = request;
  if (!url.startsWith(`${settings.baseUrl}/`)) {
    throw new InputError("baseUrl", "of a raw call is not the client's", {
      hint: "Make another client: the key goes nowhere else.",
    });
  }
  const submission = method === "POST" && /\/tryon\/?$/.test(url);
  // Without one, a submission that is sent again would be a second, paid try-on.
  if (submission && !headers.get("Idempotency-Key")) {
    headers.set("Idempotency-Key", idempotencyKey(undefined));
  }
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  return within(settings, { signal }, settings.timeout, (deadline) =>
    send(settings, (answer) => !answer.redirect, {
      request: { method, url, headers, body },
      purpose: "read",
      held: submission,
      trail: new Trail(),
      keyed: submission,
      deadline,
    }),
  );
}
