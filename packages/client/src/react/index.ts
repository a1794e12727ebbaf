import { isApp } from "#app";
import { useMemo, useSyncExternalStore } from "react";

import { createTryOnSession } from "@tryon/client/session";
import type {
  SessionClient,
  TryOnSession,
  TryOnSessionOptions,
  TryOnSnapshot,
} from "@tryon/client/session";

/** State of a try-on and what a component can do with it, as `useTryOn` returns them. */
export type UseTryOn = TryOnSnapshot &
  Pick<TryOnSession, "start" | "cancelWait" | "resume" | "reset">;

type Shared = Omit<TryOnSession, "close">;

const sessions = new WeakMap<SessionClient, Map<string, Shared>>();
const idle: TryOnSnapshot = { status: "idle" };

/**
 * Returns the try-on of one visitor, and renders the component again when it changes. It survives a reload, see
 * `createTryOnSession`. Components with the same client, `name` and `user` share one try-on, which continues until the last of
 * them is unmounted, and when one is mounted again. On a server the state is `idle`. At sign-out, call `resetAll` of
 * `@tryon/client/session`: the components then show `idle`.
 *
 * @param client - A `PageClient` or a `TryOn`. Create it once, outside of components.
 * @param options - Options of the session. Those of the first component with the same name and user count.
 * @throws `invalid_input` for an invalid or unknown option.
 * @example
 * import { useTryOn } from "@tryon/client/react";
 * import { PageClient } from "@tryon/client/session";
 *
 * const client = new PageClient({ baseUrl: "/api/tryon" });
 *
 * export function useLook(shirtUrl: string) {
 *   const look = useTryOn(client, { name: shirtUrl });
 *   const choose = (person: File) => look.start({ person, garments: [shirtUrl] });
 *   return { choose, image: look.status === "succeeded" ? look.image : undefined };
 * }
 */
export function useTryOn(client: SessionClient, options: TryOnSessionOptions = {}): UseTryOn {
  const session = sharedSession(client, options);
  const snapshot = useSyncExternalStore(session.subscribe, session.getSnapshot, () => idle);
  return useMemo(() => {
    const { start, cancelWait, resume, reset } = session;
    return { ...snapshot, start, cancelWait, resume, reset };
  }, [session, snapshot]);
}

function sharedSession(client: SessionClient, options: TryOnSessionOptions): Shared {
  // A server renders for many visitors, and must not collect their sessions.
  if (!isApp && typeof document === "undefined") return createShared(client, options);
  const named = sessions.get(client) ?? new Map<string, Shared>();
  sessions.set(client, named);
  const { name = "try-on", user } = options;
  const key = JSON.stringify([name, user]);
  const shared = named.get(key) ?? createShared(client, options);
  named.set(key, shared);
  return shared;
}

/** Creates a session that closes after its last component, and opens again with the next. */
function createShared(client: SessionClient, options: TryOnSessionOptions): Shared {
  let session = createTryOnSession(client, options);
  let mounted = 0;
  return {
    start: (input) => session.start(input),
    cancelWait: () => session.cancelWait(),
    resume: () => session.resume(),
    reset: () => session.reset(),
    getSnapshot: () => session.getSnapshot(),
    subscribe: (listener) => {
      mounted += 1;
      const unsubscribe = session.subscribe(listener);
      return () => {
        mounted -= 1;
        unsubscribe();
        // In its strict mode, React mounts each component twice.
        setTimeout(() => {
          if (mounted > 0) return;
          session.close();
          // A closed session cannot be opened. A hidden component subscribes again when it is shown.
          session = createTryOnSession(client, options);
        });
      };
    },
  };
}
