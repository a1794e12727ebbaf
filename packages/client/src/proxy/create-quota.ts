import { defaults } from "../config/options.ts";
import { systemClock, type Clock } from "../config/clock.ts";
import type { ProxyCall } from "./options.ts";
import { MemoryQuotaStore, type QuotaStore } from "./quota-store.ts";
import { check } from "./resolve-options.ts";

const minute = 60_000;
const day = 86_400_000;

/** Options of `createQuota`. */
export interface QuotaOptions {
  /**
   * Maximum number of try-ons per user and UTC day. A retry under the same idempotency key counts once; after 30 minutes
   * it counts again, since the service may have forgotten the key.
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
   * Counters. Several processes need a store that they share, or each allows the full quota.
   *
   * @default in the memory of this process, which starts at 0
   */
  readonly store?: QuotaStore | undefined;
  /** Time source, for tests. @default the machine's clock */
  readonly clock?: Pick<Clock, "now"> | undefined;
}

/** Function for the option `limit` of `createProxy`. Allows a request, or returns the seconds until the next one. */
export type Quota = (call: ProxyCall) => Promise<true | { readonly retryAfter: number }>;

/**
 * Limits the try-ons per day and the requests per minute of each user, for the option `limit` of `createProxy`. A
 * submission counts when the proxy accepts it, even if the service rejects it later.
 *
 * @throws `invalid_config` unless `perDay` and `perMinute` are whole numbers of at least 1.
 * @example
 * import { createProxy, createQuota } from "@tryon/client/proxy";
 *
 * const proxy = createProxy({ authorize, limit: createQuota({ perDay: 20, perMinute: 30 }) });
 */
export function createQuota(options: QuotaOptions): Quota {
  const { perDay, perMinute = 30, clock = systemClock } = options;
  const { store = new MemoryQuotaStore(clock) } = options;
  for (const [name, value] of Object.entries({ perDay, perMinute })) {
    check(
      Number.isSafeInteger(value) && value >= 1,
      `${name} must be a whole number of at least 1.`,
      "Set the maximum per user.",
    );
  }
  /** Counts a request, and returns the seconds until the next window if this one is full. */
  const count = async (
    userId: string,
    window: number,
    max: number,
  ): Promise<number | undefined> => {
    const now = clock.now();
    const end = (Math.floor(now / window) + 1) * window;
    const total = await store.increment(JSON.stringify([window, userId, end]), end - now);
    // A store that returns no number must not allow everything.
    return total <= max ? undefined : (end - now) / 1_000;
  };
  return async ({ user: { id }, kind, idempotencyKey }) => {
    let retryAfter = await count(id, minute, perMinute);
    if (retryAfter !== undefined) return { retryAfter };
    if (kind !== "submit") return true;
    const submission = JSON.stringify(["submission", id, idempotencyKey]);
    if ((await store.get(submission)) > 0) return true;
    retryAfter = await count(id, day, perDay);
    if (retryAfter !== undefined) return { retryAfter };
    // A key over the quota must not pass as counted, so this comes last.
    await store.increment(submission, defaults.idempotencyWindow);
    return true;
  };
}
