import type { Client } from "openapi-fetch";

import { InputError } from "../errors/input-error.ts";
import type { paths } from "../generated/openapi.ts";
import type { Settings } from "../config/resolve-config.ts";
import { within } from "../http/deadline.ts";
import { latePart } from "../http/late-part.ts";
import { Trail } from "../http/send-with-retries.ts";
import { send } from "../api/send.ts";

/** Every endpoint of the service, typed by its contract, as openapi-fetch offers it. */
export type RawClient = Client<paths>;

const methods = "request GET PUT POST DELETE OPTIONS HEAD PATCH TRACE use eject".split(" ");

/** What code that is loaded late needs of this package; importing it there would split it off for everybody. */
const parts = { InputError, Trail, send, within };
export type RawParts = typeof parts & { readonly settings: Settings };

/**
 * The typed client of the contract on the transport of this package: its key, retries and time limits. It is loaded when
 * it is first used, since few use it; what is called meanwhile is done afterwards, in order.
 */
export function createRawClient(settings: Settings): RawClient {
  type Calls = Record<string, (...values: unknown[]) => unknown>;
  const client = latePart(async () => {
    const { contractClient } = await import("./contract-client.ts");
    // Its methods are called by name, with what the caller gave them.
    return (await contractClient({ ...parts, settings })) as unknown as Calls;
  });
  const facade = methods.map((name) => [
    name,
    async (...values: unknown[]) => (await client())[name]?.(...values),
  ]);
  // The methods of openapi-fetch, each under its name.
  return Object.fromEntries(facade) as RawClient;
}
