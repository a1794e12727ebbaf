import type { Clock } from "../config/clock.ts";

/**
 * Counters of `createQuota`. Several processes or servers need one store that they share, such as Redis. Each method must
 * be one atomic operation, and must reject if it fails: the proxy then responds with 503.
 *
 * @example
 * const script = `
 *   local count = redis.call("INCR", KEYS[1])
 *   if count == 1 then redis.call("PEXPIRE", KEYS[1], ARGV[1]) end
 *   return count`;
 * const store: QuotaStore = {
 *   get: async (key) => Number(await redis.get(key)),
 *   increment: (key, ttl) => redis.eval(script, { keys: [key], arguments: [String(ttl)] }),
 * };
 */
export interface QuotaStore {
  /** Reads a counter; 0 if it does not exist or has expired. */
  get(key: string): Promise<number>;
  /**
   * Adds 1 to a counter and returns the new value. A counter that does not exist starts at 0 and expires after `ttl`
   * milliseconds; a later increment does not extend that. Keys contain the user and the idempotency key.
   */
  increment(key: string, ttl: number): Promise<number>;
}

interface Counter {
  count: number;
  readonly expiresAt: number;
}

/** Counters in the memory of one process. */
export class MemoryQuotaStore implements QuotaStore {
  readonly #clock: Pick<Clock, "now">;
  readonly #counters = new Map<string, Counter>();
  /** Number of counters at which expired ones are removed. */
  #sweepAt = 1_000;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async get(key: string): Promise<number> {
    return this.#find(key)?.count ?? 0;
  }

  async increment(key: string, ttl: number): Promise<number> {
    const counter = this.#find(key) ?? { count: 0, expiresAt: this.#clock.now() + ttl };
    counter.count += 1;
    this.#counters.set(key, counter);
    if (this.#counters.size >= this.#sweepAt) {
      for (const each of this.#counters.keys()) this.#find(each);
      this.#sweepAt = Math.max(1_000, this.#counters.size * 2);
    }
    return counter.count;
  }

  /** Finds a counter, and removes it if it has expired. */
  #find(key: string): Counter | undefined {
    const counter = this.#counters.get(key);
    if (counter === undefined || counter.expiresAt > this.#clock.now()) return counter;
    this.#counters.delete(key);
    return undefined;
  }
}
