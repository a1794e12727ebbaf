import type { Client } from "openapi-fetch";

import { InputError } from "../errors/input-error.ts";
import type { paths } from "../generated/openapi.ts";
import { idempotencyKey } from "../jobs/idempotency-key.ts";
import type { Settings } from "../settings.ts";
import type { Answer } from "./answer.ts";
import { within } from "./deadline.ts";
import { Trail } from "./journey.ts";
import { send } from "./send.ts";

/** Every endpoint of the service, typed by its contract, as openapi-fetch offers it. */
export type RawClient = Client<paths>;

const verbs = ["request", "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"];

/**
 * The typed client of the contract on the transport of this package: its key, retries and time limits. openapi-fetch is
 * loaded when it is first used, so that those who never use it do not load it.
 */
export function createRawClient(settings: Settings): RawClient {
  type Calls = Record<string, (...values: unknown[]) => unknown>;
  let client: Promise<Calls> | undefined;
  const loaded = (): Promise<Calls> =>
    (client ??= import("./contract-client.ts").then(
      ({ createContractClient }) =>
        // Its methods are called by name, with what the caller gave them.
        createContractClient(settings.baseUrl, (request, body) =>
          forward(request, body, settings),
        ) as unknown as Calls,
    ));
  const facade: Calls = {};
  for (const verb of verbs) {
    facade[verb] = async (...values) => (await loaded())[verb]?.(...values);
  }
  for (const change of ["use", "eject"]) {
    facade[change] = (...values) => {
      // Calls made before are left without it, and calls made later have it.
      client = loaded().then((calls) => {
        calls[change]?.(...values);
        return calls;
      });
      client.catch(() => undefined);
    };
  }
  // The methods of openapi-fetch, each under its name.
  return facade as unknown as RawClient;
}

async function forward(
  request: Request,
  body: Uint8Array<ArrayBuffer> | undefined,
  settings: Settings,
): Promise<Answer> {
  const { method, url, headers, signal } = request;
  if (!url.startsWith(`${settings.baseUrl}/`)) {
    throw new InputError("baseUrl", "of a raw call is not the client's", {
      hint: "Make another client: the key goes nowhere else.",
    });
  }
  const keyed = method === "POST" && /\/tryon\/?$/.test(url);
  // Without one, a submission that is sent again would be a second, paid try-on.
  if (keyed && !headers.get("Idempotency-Key")) {
    headers.set("Idempotency-Key", idempotencyKey(undefined));
  }
  return within(settings, { signal }, settings.timeout, (deadline) =>
    send(settings, (answer) => !answer.redirect, {
      request: { method, url, headers: Object.fromEntries(headers), body },
      purpose: keyed ? "submit" : "read",
      held: keyed,
      trail: new Trail(),
      keyed,
      deadline,
    }),
  );
}
