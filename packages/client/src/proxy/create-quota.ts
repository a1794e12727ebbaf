import { systemClock } from "../config/clock.ts";
import { defaults, type Clock } from "../config/options.ts";
import type { ProxyCall } from "./options.ts";
import { checkedStore, memoryStore, type QuotaStore } from "./quota-store.ts";
import { checkOptions, isCount } from "./resolve-options.ts";

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
export interface Quota {
  (call: ProxyCall): Promise<
    | true
    | {
        /** Seconds until the next request is allowed. */
        readonly retryAfter: number;
      }
  >;
  /** Counters of the quota, in which a proxy also counts refusals. */
  readonly store: QuotaStore;
}

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
  const counters = checkedStore(store);
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
  const quota = async ({ user: { id }, kind, idempotencyKey }: ProxyCall) => {
    const exceeded = await limit(id, minute, perMinute);
    if (exceeded || kind !== "submit") return exceeded ?? true;
    const key = JSON.stringify([id, idempotencyKey]);
    const result =
      counting.get(key) ?? limitSubmission(id, idempotencyKey).finally(() => counting.delete(key));
    counting.set(key, result);
    return (await result) ?? true;
  };
  return Object.assign(quota, { store });
}

function endOf(window: number, now: number): number {
  return (Math.floor(now / window) + 1) * window;
}

type Limited = { readonly retryAfter: number } | undefined;

function checkCount(count: number) {
  const problem = "must be a whole number from 1 up";
  return [isCount(count), problem, "Set the maximum per user."] as const;
}
