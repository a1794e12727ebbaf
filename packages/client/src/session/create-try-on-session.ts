import { InputError, type TryOn } from "@tryon/client";

import { milliseconds, unknownName } from "../config/resolve-config.ts";
import { Session } from "./session.ts";
import type { TryOnSession, TryOnSessionOptions } from "./types.ts";

/**
 * Creates the try-on of one visitor in a page as a store: its state, and what survives a reload. It saves the idempotency
 * key, the input and the job in IndexedDB, and continues after a reload, in a new tab and after a closed one. Only `start` is
 * charged. The first subscriber opens the store, so that the function can run on a server, where the state is `idle`.
 *
 * Of several tabs, one submits and polls (Web Locks), and the others show its state (BroadcastChannel).
 *
 * The images of the input are deleted as soon as the result was loaded, by `reset`, and after `maxAge`. Where the browser
 * stores nothing, the try-on works in this tab only, and `isSaved` of the state is false.
 *
 * @param tryon - Client of the page, usually with `proxyUrl`.
 * @throws `invalid_input` for an invalid or unknown option.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { createTryOnSession } from "@tryon/client/session";
 *
 * const session = createTryOnSession(new TryOn({ proxyUrl: "/api/tryon" }));
 * session.subscribe(() => {
 *   const state = session.getSnapshot();
 *   if (state.status === "succeeded") photo.src = URL.createObjectURL(state.image);
 * });
 * form.onsubmit = () => session.start({ person: file, garments: [shirtUrl] });
 */
export function createTryOnSession(tryon: TryOn, options: TryOnSessionOptions = {}): TryOnSession {
  const names = { name: true, prepare: true, timeout: true, maxAge: true };
  const unknown = unknownName(options, names);
  if (unknown) {
    const problem = "is not an option of createTryOnSession";
    throw new InputError(unknown.name, problem, { hint: unknown.hint });
  }
  const { timeout = "5m", maxAge = 86_400_000 } = options;
  return new Session(tryon, {
    ...options,
    timeout: milliseconds(timeout, "timeout"),
    maxAge: milliseconds(maxAge, "maxAge"),
  });
}
