import { monotonicOf, systemClock } from "@tryon/shared/clock";
import { anything, readOptions, wholeNumber, type Rule } from "@tryon/shared/options";
import type { Clock } from "./clock.ts";
import type { ReceiverStore } from "./store.ts";

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /**
   * Maximum number of handled events that are remembered, about 200 bytes each. The oldest is
   * removed first. Claims are not limited: there is one for each running handler.
   *
   * @default 10_000
   */
  readonly maxEvents?: number | undefined;

  /** @default the clock of the runtime */
  readonly clock?: Pick<Clock, "now" | "monotonic"> | undefined;
}

interface Finished {
  readonly key: string;
  readonly until: number;
}

/**
 * Creates a store in the memory of this process, for a receiver that runs as one process. It is
 * empty after a restart. With several processes each has its own, so an event that two of them
 * receive is handled twice: pass them a shared store.
 *
 * @throws `TypeError` for an unknown or invalid option.
 * @example
 * import { createMemoryStore, createReceiver } from "@tryon/webhooks";
 *
 * const store = createMemoryStore({ maxEvents: 100_000 });
 * export const POST = createReceiver({ secrets, store, onCompleted });
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): ReceiverStore {
  // Inside, so that bundlers can leave it out.
  const rules = {
    maxEvents: { ...wholeNumber(1), fallback: 10_000 },
    clock: { ...anything<Pick<Clock, "now" | "monotonic">>(), fallback: systemClock },
  } satisfies Record<keyof MemoryStoreOptions, Rule>;
  const { maxEvents, clock } = readOptions("an option of createMemoryStore", options, rules);
  // In one process, the end of a claim needs no date. A sleeping machine forgets nothing too early.
  const monotonic = monotonicOf(clock);
  const claims = new Map<string, { readonly owner: string; readonly until: number }>();
  const finished = new Map<string, Finished>();
  /** Iterates from the oldest. A new iterator would pass all removed entries again, until the map is copied. */
  let entries = finished.values();
  let oldest: Finished | undefined;

  /** Removes the first entries, which expire first if all have one `ttl`. */
  const removeExpired = (now: number): void => {
    for (const [key, { until }] of claims) {
      if (until > now) break;
      claims.delete(key);
    }
    while ((oldest ??= entries.next().value)) {
      // An event that was recorded again has a later entry.
      if (finished.get(oldest.key) === oldest) {
        if (oldest.until > now && finished.size <= maxEvents) return;
        finished.delete(oldest.key);
      }
      oldest = undefined;
    }
    // An iterator that has ended sees no later entries.
    entries = finished.values();
  };

  return {
    // The methods await nothing, so each is atomic.
    async claim(key, owner, ttl) {
      const now = monotonic();
      removeExpired(now);
      if ((finished.get(key)?.until ?? now) > now) return "done";
      const claim = claims.get(key);
      if (claim !== undefined && claim.until > now && claim.owner !== owner) return "open";
      claims.delete(key);
      claims.set(key, { owner, until: now + ttl });
      return "claimed";
    },
    async done(key, ttl) {
      const now = monotonic();
      claims.delete(key);
      finished.delete(key);
      finished.set(key, { key, until: now + ttl });
      removeExpired(now);
    },
    async release(key, owner) {
      if (claims.get(key)?.owner === owner) claims.delete(key);
    },
  };
}
