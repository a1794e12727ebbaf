import { readOptions, string } from "@tryon/shared/options";
import type { RedisClient } from "@tryon/shared/stores/clients";
import { redisScripts } from "@tryon/shared/stores/redis-scripts";

import type { ClaimState, ReceiverStore } from "../receiver/store.ts";
import { storeError } from "./store-error.ts";

export type { IoRedisClient, NodeRedisClient, RedisClient } from "@tryon/shared/stores/clients";

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /** Prefix of all keys. @default "tryon:event:" */
  readonly prefix?: string | undefined;
}

const claimScript = `
  local value = redis.call("GET", KEYS[1])
  if value == "done" then return value end
  if value and value ~= ARGV[1] then return "open" end
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  return "claimed"`;

const doneScript = `redis.call("SET", KEYS[1], "done", "PX", ARGV[1])`;
const releaseScript = `if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end`;

/**
 * Creates a store in Redis, for any number of receivers. Pass your own, connected client. Redis
 * removes expired events by its own clock, so the clocks of the receivers may differ.
 *
 * Redis must keep what it has stored: set `maxmemory-policy noeviction`, and `appendonly yes` for
 * restarts. The first call rejects if the policy may evict events; Redis hides it from users without
 * the right to `INFO`. A failover to a replica can lose the last writes, whose events are then handled
 * again.
 *
 * Let commands fail while Redis is unreachable, with `disableOfflineQueue: true` of `redis` or
 * `enableOfflineQueue: false` of `ioredis`. Otherwise they wait until the receiver times out.
 *
 * @throws `TypeError` for an unknown option.
 * @example
 * import { createClient } from "@redis/client"; // or Redis of ioredis
 * import { createReceiver } from "@tryon/webhooks";
 * import { createRedisStore } from "@tryon/webhooks/redis";
 *
 * const client = createClient({ url: "redis://localhost", disableOfflineQueue: true });
 * client.on("error", (error) => console.error("Redis:", error));
 * await client.connect();
 * const store = createRedisStore(client);
 * export const POST = createReceiver({ secrets, store, onCompleted });
 */
export function createRedisStore(
  client: RedisClient,
  options: RedisStoreOptions = {},
): ReceiverStore {
  const { prefix } = readOptions("an option of createRedisStore", options, {
    prefix: { ...string(), fallback: "tryon:event:" },
  });
  const run = redisScripts(client, {
    versionKey: `${prefix}version`,
    data: "handled events",
    eviction: "reject-known",
    fail: storeError,
  });
  // JSON keeps keys with invalid UTF-16 apart.
  const keysOf = (key: string): string[] => [prefix + JSON.stringify(key)];
  return {
    claim: async (key, owner, ttl) => {
      const state = await run(claimScript, keysOf(key), `open:${owner}`, `${Math.ceil(ttl)}`);
      // The script returns nothing else.
      return String(state) as ClaimState;
    },
    done: (key, ttl) => run(doneScript, keysOf(key), `${Math.ceil(ttl)}`),
    release: (key, owner) => run(releaseScript, keysOf(key), `open:${owner}`),
  };
}
