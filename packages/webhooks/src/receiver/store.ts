/**
 * What a store says to a claim: `claimed`, it is yours now or still is; `open`, another delivery of
 * the event is being handled; `done`, the event was handled.
 */
export type ClaimState = "claimed" | "open" | "done";

/**
 * Where receivers remember which events they have handled and are handling, so that an event that
 * is delivered twice is handled once. {@link createMemoryStore} is one for a single process; several
 * processes, and a process that is started anew, need one that they share. `examples/webhook-stores`
 * has one for Redis and one for PostgreSQL, each a screenful.
 *
 * Each method has to be one atomic step, and a promise that it gives has to reject when the step may
 * not have happened. A call that takes too long counts as failed: 9 s after the arrival of a delivery
 * for `claim`, a third of `claimTtl` for a renewal, 2 s for `release` and for each attempt of `done`.
 *
 * @example
 * const store: ReceiverStore = {
 *   claim: (key, owner, ttl) => redis.eval(claimScript, { keys: [key], arguments: [owner, String(ttl)] }),
 *   done: (key, ttl) => redis.set(key, "done", { PX: ttl }),
 *   release: (key, owner) => redis.eval(releaseScript, { keys: [key], arguments: [owner] }),
 * };
 */
export interface ReceiverStore {
  /**
   * Claims an event for `ttl` milliseconds, unless it is done or another owner holds a claim that
   * has not run out. The owner of a claim may claim again, which makes it last `ttl` from now on.
   */
  claim(key: string, owner: string, ttl: number): Promise<ClaimState>;

  /**
   * Remembers for `ttl` milliseconds that an event was handled, whoever holds a claim on it by then:
   * where a claim ran out while its handler lived, the handler has come to its end all the same.
   */
  done(key: string, ttl: number): Promise<unknown>;

  /** Gives a claim up, if it is this owner's still, so that the next delivery need not wait. */
  release(key: string, owner: string): Promise<unknown>;
}
