import { ageSince } from "../config/clock.ts";
import type { Clock } from "../config/options.ts";

/**
 * Counters of `createQuota`. Several processes or servers need one store that they share, such as that of
 * `@tryon/client/redis`, `@tryon/client/postgres` or `@tryon/client/sqlite`. Each method must be one
 * atomic operation, and must reject if it fails: the proxy then responds with 503, as after any result that is not a count.
 *
 * @example
 * import { createRedisQuotaStore } from "@tryon/client/redis";
 *
 * const limit = createQuota({ perDay: 20, store: createRedisQuotaStore(redis) });
 */
export interface QuotaStore {
  /** Reads a counter: a whole number, and 0 if it does not exist or has expired. */
  get(key: string): Promise<number>;
  /**
   * Adds 1 to a counter and returns the new value, a whole number from 1. A counter that does not exist starts at 0 and expires after `ttl`
   * milliseconds; a later increment does not extend that. Keys contain the user and the idempotency key.
   */
  increment(key: string, ttl: number): Promise<number>;
}

/** Returns a store that rejects if a result of the given one is not a count. */
export function checkedStore(store: QuotaStore): QuotaStore {
  return {
    get: async (key) => checkResult("get", await store.get(key), 0),
    increment: async (key, ttl) => checkResult("increment", await store.increment(key, ttl), 1),
  };
}

/** Returns the result of a store. Throws unless it is a count, since any other value could allow everything. */
function checkResult(method: keyof QuotaStore, result: unknown, min: number): number {
  if (Number.isSafeInteger(result) && Number(result) >= min) return Number(result);
  // Text and objects can contain a secret.
  const got = typeof result === "number" ? result : typeof result;
  throw new Error(
    `The method ${method} of the quota store returned ${got}. It must return a whole number from ${min}.`,
  );
}

export function memoryStore(clock: Pick<Clock, "now" | "monotonic">): QuotaStore {
  const counters = new Map<string, { count: number; readonly isOver: () => boolean }>();
  /** Number of counters at which expired ones are removed. */
  let sweepAt = 1_000;
  const find = (key: string) => {
    const counter = counters.get(key);
    return counter?.isOver() === false ? counter : undefined;
  };
  return {
    get: async (key) => find(key)?.count ?? 0,
    increment: async (key, ttl) => {
      const age = ageSince(clock);
      const counter = find(key) ?? { count: 0, isOver: () => age() >= ttl };
      counter.count += 1;
      counters.set(key, counter);
      if (counters.size >= sweepAt) {
        for (const each of counters.keys()) if (!find(each)) counters.delete(each);
        sweepAt = Math.max(1_000, counters.size * 2);
      }
      return counter.count;
    },
  };
}
