import { InputError } from "@tryon/client";

import { readDuration, unknownOption } from "../config/resolve-config.ts";
import { Session } from "./session.ts";
import type { SessionClient, TryOnSession, TryOnSessionOptions } from "./types.ts";

const optionNames: Readonly<Record<keyof TryOnSessionOptions, true>> = {
  name: true,
  user: true,
  prepare: true,
  timeout: true,
  maxAge: true,
};

/**
 * Creates the try-on of one visitor in a page as a store: its state, and what survives a reload. It saves the idempotency
 * key, the input and the job in IndexedDB, and continues after a reload, in a new tab and after a closed one. Only `start` is
 * charged. The first subscriber opens the store, so that the function can run on a server, where the state is `idle`.
 *
 * One of several tabs submits and polls (Web Locks), and the others show its state (BroadcastChannel).
 *
 * The images of the input are deleted as soon as the result was loaded, by `reset`, by `resetAll`, and when any session opens
 * after `maxAge`. With `user`, users of one browser have separate try-ons. Where the browser stores nothing, the try-on works in this tab only; see `isSaved` of the state.
 *
 * @param client - Client of the page: a `PageClient`, or a `TryOn` with `proxyUrl`.
 * @throws `invalid_input` for an invalid or unknown option.
 * @example
 * import { createTryOnSession, PageClient } from "@tryon/client/session";
 *
 * const session = createTryOnSession(new PageClient({ baseUrl: "/api/tryon" }));
 * session.subscribe(() => {
 *   const state = session.getSnapshot();
 *   if (state.status !== "succeeded") return;
 *   URL.revokeObjectURL(image.src);
 *   image.src = URL.createObjectURL(state.image);
 * });
 * button.onclick = () => session.start({ person: photo, garments: [shirtUrl] });
 */
export function createTryOnSession(
  client: SessionClient,
  options: TryOnSessionOptions = {},
): TryOnSession {
  const unknown = unknownOption("createTryOnSession", options, optionNames);
  if (unknown) throw new InputError(...unknown);
  const { name = "try-on", user, prepare, timeout = "5m", maxAge = "24h" } = options;
  // An empty id would be that of every visitor whose id is missing.
  if (user !== undefined && (typeof user !== "string" || user === "")) {
    throw new InputError("user", "must be the id of the user, or undefined without one");
  }
  const times = { timeout: readDuration(timeout), maxAge: readDuration(maxAge) };
  for (const [option, time] of Object.entries(times)) {
    if (time > 0) continue;
    throw new InputError(option, 'must be a positive duration, such as "3m"');
  }
  return new Session(client, { name, user, prepare, ...times });
}
