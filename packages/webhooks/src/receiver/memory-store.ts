import { systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { ReceiverStore } from "./store.ts";

/** How much a memory store keeps. */
export interface MemoryStoreOptions {
  /**
   * How many handled events are remembered at most, some 200 bytes each; the one handled longest ago
   * is forgotten first. Claims are never forgotten for this: there are as many as handlers at work.
   *
   * @default 10_000
   */
  readonly maxEvents?: number | undefined;

  /** @default the machine's clock */
  readonly clock?: Pick<Clock, "now"> | undefined;
}

/**
 * Remembers events in the memory of this process: right for a receiver that runs as one process, as
 * long as it runs. After a start it remembers nothing, and of several processes each remembers its
 * own, so an event that comes to two of them is handled by both: give those a store that they share.
 *
 * @throws `RangeError` for a `maxEvents` that is no whole number from 1 up.
 * @example
 * import { createMemoryStore, createReceiver } from "@tryon/webhooks";
 *
 * const store = createMemoryStore({ maxEvents: 100_000 });
 * export const POST = createReceiver({ secrets, store, onCompleted });
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): ReceiverStore {
  const { maxEvents = 10_000, clock = systemClock } = options;
  if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) {
    throw new RangeError(
      `maxEvents: ${String(maxEvents)} is no whole number from 1 up. Leave it out for 10,000.`,
    );
  }
  const claims = new Map<string, { readonly owner: string; readonly until: number }>();
  const finished = new Map<string, { readonly until: number }>();

  /** Entries stand in the order in which they were made, which with one `ttl` is that of their ends. */
  const forget = (now: number): void => {
    for (const entries of [claims, finished]) {
      for (const [key, { until }] of entries) {
        if (until > now && (entries === claims || finished.size <= maxEvents)) break;
        entries.delete(key);
      }
    }
  };

  return {
    // Promises, though nothing is waited for: each step is atomic, since nothing comes between.
    async claim(key, owner, ttl) {
      const now = clock.now();
      forget(now);
      if ((finished.get(key)?.until ?? now) > now) return "done";
      const claim = claims.get(key);
      if (claim !== undefined && claim.until > now && claim.owner !== owner) return "open";
      claims.delete(key);
      claims.set(key, { owner, until: now + ttl });
      return "claimed";
    },
    async done(key, ttl) {
      const now = clock.now();
      claims.delete(key);
      finished.delete(key);
      finished.set(key, { until: now + ttl });
      forget(now);
    },
    async release(key, owner) {
      if (claims.get(key)?.owner === owner) claims.delete(key);
    },
  };
}
