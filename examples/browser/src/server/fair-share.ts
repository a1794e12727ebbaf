import type { ProxyOptions } from "@tryon/client/proxy";

const hour = 3_600_000;

/**
 * A limit for each visitor, so that nobody tries everything on at the shop's expense. It is kept in memory: a shop with
 * several servers counts in a store that they share.
 *
 * @param most - How many try-ons a visitor may begin in an hour.
 */
export function fairShare(
  most: number,
  now: () => number = Date.now,
): NonNullable<ProxyOptions["limit"]> {
  const visitors = new Map<string, Map<string, number>>();
  return ({ visitor, kind, idempotencyKey = "" }) => {
    if (kind !== "submit") return true;
    const begun = visitors.get(visitor.user) ?? new Map<string, number>();
    // The same key is the same try-on, sent again because the connection broke.
    if (begun.has(idempotencyKey)) return true;
    for (const [key, at] of begun) if (at <= now() - hour) begun.delete(key);
    const [oldest] = begun.values();
    if (begun.size >= most) return { retryAfter: ((oldest ?? now()) + hour - now()) / 1_000 };
    visitors.set(visitor.user, begun.set(idempotencyKey, now()));
    return true;
  };
}
