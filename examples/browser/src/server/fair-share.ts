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
  /** What was begun within the last hour, the oldest first. */
  const begun = new Map<string, { readonly user: string; readonly at: number }>();
  return ({ visitor: { user }, kind, idempotencyKey }) => {
    if (kind !== "submit") return true;
    for (const [name, { at }] of begun) {
      if (at > now() - hour) break;
      begun.delete(name);
    }
    const name = JSON.stringify([user, idempotencyKey]);
    // The same key is the same try-on, sent again because the connection broke.
    if (begun.has(name)) return true;
    const own = [...begun.values()].filter((one) => one.user === user);
    const [oldest] = own;
    if (own.length >= most) return { retryAfter: ((oldest?.at ?? now()) + hour - now()) / 1_000 };
    begun.set(name, { user, at: now() });
    return true;
  };
}
