import type { QuotaStore } from "../proxy/create-quota.ts";
import { checkOptions } from "../proxy/resolve-options.ts";
import { runRedisScript, type RedisClient } from "../stores/clients.ts";

export type { QuotaStore };
export type { IoRedisClient, NodeRedisClient, RedisClient } from "../stores/clients.ts";

/** Options of `createRedisQuotaStore`. */
export interface RedisQuotaOptions {
  /** Prefix of all keys. @default "tryon:quota:" */
  readonly prefix?: string | undefined;
}

const incrementScript = `
  local count = redis.call("INCR", KEYS[1])
  if count == 1 then redis.call("PEXPIRE", KEYS[1], ARGV[1]) end
  return count`;

const getScript = `return redis.call("GET", KEYS[1]) or "0"`;

/**
 * Creates counters of `createQuota` in Redis, for any number of servers. Pass your own, connected client. Redis removes
 * expired counters.
 *
 * Redis may evict counters or lose them in a restart: the user can then exceed the quota by what was counted. Nothing is
 * paid twice.
 *
 * @throws `invalid_input` for an unknown option.
 * @example
 * import { createClient } from "@redis/client"; // or Redis of ioredis
 * import { createQuota } from "@tryon/client/proxy";
 * import { createRedisQuotaStore } from "@tryon/client/quota/redis";
 *
 * const client = createClient({ url: "redis://localhost", disableOfflineQueue: true });
 * client.on("error", (error) => console.error("Redis:", error));
 * await client.connect();
 * const limit = createQuota({ perDay: 20, store: createRedisQuotaStore(client) });
 */
export function createRedisQuotaStore(
  client: RedisClient,
  options: RedisQuotaOptions = {},
): QuotaStore {
  checkOptions<RedisQuotaOptions>("createRedisQuotaStore", options, { prefix: undefined });
  const { prefix = "tryon:quota:" } = options;
  return {
    get: async (key) => Number(await runRedisScript(client, getScript, [prefix + key], [])),
    increment: async (key, ttl) =>
      Number(await runRedisScript(client, incrementScript, [prefix + key], [`${Math.ceil(ttl)}`])),
  };
}
