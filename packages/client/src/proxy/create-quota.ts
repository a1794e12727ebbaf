import { ageSince, systemClock } from "../config/clock.ts";
import { defaults, type Clock } from "../config/options.ts";
import type { ProxyCall } from "./options.ts";
import { checkOptions } from "./resolve-options.ts";

const minute = 60_000;
const day = 86_400_000;
/** Maximum time in which one of several copies of a submission is counted, in milliseconds. */
const claimTtl = 10_000;

/** Options of `createQuota`. */
export interface QuotaOptions {
  /**
   * Maximum number of try-ons per user and UTC day. Requests under the same idempotency key count once, also if they arrive
   * at the same time. After 27 minutes, the key counts again: 90 % of the time for which the client assumes that the service remembers a key.
   */
  readonly perDay: number;
  /**
   * Maximum number of requests of any kind, reads included, per user and minute. It keeps one user from using up the
   * rate limit of the API key, which all users share.
   *
   * @default 30
   */
  readonly perMinute?: number | undefined;
  /**
   * Counters. Several processes need a store that they share, or each allows the full quota:
   * `createRedisQuotaStore`, `createPostgresQuotaStore` or `createSqliteQuotaStore`.
   *
   * @default in the memory of this process, which starts at 0
   */
  readonly store?: QuotaStore | undefined;
  /** Time source, for tests. @default the machine's clock */
  readonly clock?: Pick<Clock, "now" | "monotonic"> | undefined;
}

/** Function for the option `limit` of `createProxy`. Allows a request, or returns the seconds until the next one. */
export type Quota = (call: ProxyCall) => Promise<
  | true
  | {
      /** Seconds until the next request is allowed. */
      readonly retryAfter: number;
    }
>;

/**
 * Limits the try-ons per day and the requests per minute of each user, for the option `limit` of `createProxy`. A
 * submission counts when the proxy accepts it, even if the service rejects it later.
 *
 * @throws `invalid_input` for an unknown option, and unless `perDay` and `perMinute` are whole numbers of at least 1.
 * @example
 * import { createProxy, createQuota } from "@tryon/client/proxy";
 *
 * const proxy = createProxy({ authorize, limit: createQuota({ perDay: 20, perMinute: 30 }) });
 */
export function createQuota(options: QuotaOptions): Quota {
  const { perDay, perMinute = 30, clock = systemClock, store = memoryStore(clock) } = options;
  checkOptions<QuotaOptions>("createQuota", options, {
    perDay: checkCount(perDay),
    perMinute: checkCount(perMinute),
    store: undefined,
    clock: undefined,
  });
  const counters = {
    get: async (key: string) => checkResult("get", await store.get(key), 0),
    increment: async (key: string, ttl: number) =>
      checkResult("increment", await store.increment(key, ttl), 1),
  };
  const limit = async (userId: string, window: number, max: number): Promise<Limited> => {
    const now = clock.now();
    const end = endOf(window, now);
    // Kept for one window longer: after the clock is set back, the last window continues.
    const key = JSON.stringify([window, userId, end]);
    const total = await counters.increment(key, end - now + window);
    return total <= max ? undefined : { retryAfter: (end - now) / 1_000 };
  };
  const limitSubmission = async (id: string, idempotencyKey: unknown): Promise<Limited> => {
    const now = clock.now();
    const end = endOf(day, now);
    const name = (state: string, ...more: unknown[]) =>
      JSON.stringify([state, id, idempotencyKey, ...more]);
    const claims = await counters.increment(name("claim", end), claimTtl);
    if ((await counters.get(name("submission"))) > 0) return undefined;
    if (claims > 1) {
      const isFull = (await counters.get(name("rejected", end))) > 0;
      // Otherwise, another process is counting a copy of this request.
      return { retryAfter: isFull ? (end - now) / 1_000 : 1 };
    }
    const exceeded = await limit(id, day, perDay);
    // A key over the quota must not pass as counted, so this comes last.
    if (exceeded) await counters.increment(name("rejected", end), claimTtl);
    // A slow repeat must not arrive uncounted after the service has dropped the key.
    else await counters.increment(name("submission"), defaults.idempotencyWindow * 0.9);
    return exceeded;
  };
  /** Submissions that are being counted. Copies that arrive meanwhile get the same result. */
  const counting = new Map<string, Promise<Limited>>();
  return async ({ user: { id }, kind, idempotencyKey }) => {
    const exceeded = await limit(id, minute, perMinute);
    if (exceeded || kind !== "submit") return exceeded ?? true;
    const key = JSON.stringify([id, idempotencyKey]);
    const result =
      counting.get(key) ?? limitSubmission(id, idempotencyKey).finally(() => counting.delete(key));
    counting.set(key, result);
    return (await result) ?? true;
  };
}

function endOf(window: number, now: number): number {
  return (Math.floor(now / window) + 1) * window;
}

type Limited = { readonly retryAfter: number } | undefined;

/** Returns the result of a store. Throws unless it is a count, since any other value could allow everything. */
function checkResult(method: keyof QuotaStore, result: unknown, min: number): number {
  if (Number.isSafeInteger(result) && Number(result) >= min) return Number(result);
  // Text and objects can contain a secret.
  const got = typeof result === "number" ? result : typeof result;
  throw new Error(
    `The method ${method} of the quota store returned ${got}. It must return a whole number from ${min}.`,
  );
}

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

function checkCount(count: number) {
  const problem = "must be a whole number from 1 up";
  return [Number.isSafeInteger(count) && count >= 1, problem, "Set the maximum per user."] as const;
}

function memoryStore(clock: Pick<Clock, "now" | "monotonic">): QuotaStore {
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
