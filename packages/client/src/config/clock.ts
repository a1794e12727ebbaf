import { systemClock, type CompleteClock } from "@tryon/shared/clock";

import type { Clock } from "./options.ts";

export { ageSince, completeClock as clientClock, maxTimer, systemClock } from "@tryon/shared/clock";

export type ClientClock = CompleteClock;

/** Returns the clock that `useMock` of `@tryon/mock` sets for the clients of a test, or else that of this machine. */
export function defaultClock(): Clock {
  const shared = globalThis as { readonly [name: symbol]: Clock | undefined };
  return shared[Symbol.for("@tryon/client.clock")] ?? systemClock;
}
