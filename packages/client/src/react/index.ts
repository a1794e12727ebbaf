import { useMemo, useSyncExternalStore } from "react";

import type { TryOn } from "@tryon/client";
import { createTryOnSession } from "@tryon/client/session";
import type { TryOnSession, TryOnSessionOptions, TryOnSnapshot } from "@tryon/client/session";

/** State of a try-on and what a component can do with it, as `useTryOn` returns them. */
export type UseTryOn = TryOnSnapshot &
  Pick<TryOnSession, "start" | "cancelWait" | "resume" | "reset">;

/** Session that components share. */
interface Shared {
  readonly session: TryOnSession;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Sessions by client and name. */
const sessions = new WeakMap<TryOn, Map<string, Shared>>();
const idle: TryOnSnapshot = { status: "idle" };

/**
 * Returns the try-on of one visitor, and renders the component again when it changes. It survives a reload, see
 * `createTryOnSession`. Components with the same client and `name` share one try-on, which continues until the last of them
 * is unmounted, and when one is mounted again. On a server the state is `idle`.
 *
 * @param tryon - Client. Create it once, outside of components.
 * @param options - Options of the session. Those of the first component with the same name count.
 * @throws `invalid_input` for an invalid or unknown option.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { useTryOn } from "@tryon/client/react";
 *
 * const tryon = new TryOn({ proxyUrl: "/api/tryon" });
 *
 * export function useLook(shirtUrl: string) {
 *   const look = useTryOn(tryon, { name: shirtUrl });
 *   const choose = (person: File) => look.start({ person, garments: [shirtUrl] });
 *   return { choose, image: look.status === "succeeded" ? look.image : undefined };
 * }
 */
export function useTryOn(tryon: TryOn, options: TryOnSessionOptions = {}): UseTryOn {
  const { session, subscribe } = sharedSession(tryon, options);
  const snapshot = useSyncExternalStore(subscribe, session.getSnapshot, () => idle);
  return useMemo(() => {
    const { start, cancelWait, resume, reset } = session;
    return { ...snapshot, start, cancelWait, resume, reset };
  }, [session, snapshot]);
}

function sharedSession(tryon: TryOn, options: TryOnSessionOptions): Shared {
  const named = sessions.get(tryon) ?? new Map<string, Shared>();
  sessions.set(tryon, named);
  const { name = "" } = options;
  const found = named.get(name);
  if (found) return found;
  const session = createTryOnSession(tryon, options);
  let mounted = 0;
  const subscribe = (listener: () => void): (() => void) => {
    mounted += 1;
    const unsubscribe = session.subscribe(listener);
    return () => {
      mounted -= 1;
      unsubscribe();
      // In its strict mode, React mounts each component twice.
      setTimeout(() => {
        if (mounted > 0 || named.get(name) !== shared) return;
        named.delete(name);
        session.close();
      });
    };
  };
  const shared: Shared = { session, subscribe };
  named.set(name, shared);
  return shared;
}
