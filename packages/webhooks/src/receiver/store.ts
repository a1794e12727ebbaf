/**
 * State of an event after a claim: `claimed`, this owner has the claim; `open`, another delivery of
 * the event is being handled; `done`, the event was handled.
 */
export type ClaimState = "claimed" | "open" | "done";

/**
 * Store of the events that receivers handle and have handled, so that an event is handled once even
 * if it is delivered twice. {@link createMemoryStore} is for a single process. Several processes,
 * or one that restarts, need a shared store: `@tryon/webhooks/redis`, `@tryon/webhooks/postgres` or
 * `@tryon/webhooks/sqlite`, or your own.
 *
 * Each method must be one atomic step. Its promise must reject if the step may not have happened. A
 * call fails if it takes too long: until 9 s after the arrival of a delivery for `claim`, a third
 * of `claimTtl` for a renewal, 2 s for `release` and for each attempt of `done`.
 *
 * @example
 * import { createRedisStore } from "@tryon/webhooks/redis";
 *
 * const store: ReceiverStore = createRedisStore(redis);
 */
export interface ReceiverStore {
  /**
   * Claims an event for `ttl` milliseconds, unless it is done or another owner has a valid claim.
   * The owner of a claim may claim again, which extends it to `ttl` from now.
   */
  claim(key: string, owner: string, ttl: number): Promise<ClaimState>;

  /**
   * Remembers for `ttl` milliseconds that an event was handled, even if another owner has the
   * claim: its handler has succeeded although its claim has expired.
   */
  done(key: string, ttl: number): Promise<unknown>;

  /** Removes a claim if this owner still has it, so that the next delivery need not wait. */
  release(key: string, owner: string): Promise<unknown>;
}
