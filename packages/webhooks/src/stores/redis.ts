import { readOptions, string } from "@tryon/command-line/options";
import type { ClaimState, ReceiverStore } from "../receiver/store.ts";

/** Client of `redis` or `@redis/client`, or a cluster or pool of it. */
export interface NodeRedisClient {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Client of `ioredis`, or a cluster of it. */
export interface IoRedisClient {
  /** Only `ioredis` has this method. */
  call(command: string, ...values: string[]): Promise<unknown>;
  /** Runs a Lua script. */
  eval(script: string, keyCount: number, ...values: string[]): Promise<unknown>;
}

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

/** Returns the empty string if Redis does not reveal its policy, as for a user without the right. */
const policyScript = `
  local info = redis.pcall("INFO", "memory")
  return type(info) == "string" and info:match("maxmemory_policy:([%w-]+)") or ""`;

/**
 * Creates a store in Redis, for any number of receivers. Pass your own, connected client. Redis
 * removes expired events by its own clock, so the clocks of the receivers may differ.
 *
 * Redis must keep what it has stored: set `maxmemory-policy noeviction`, and `appendonly yes` for
 * restarts. `claim` rejects if the policy may evict events; Redis hides it from users without the
 * right to `INFO`. A failover to a replica can lose the last writes, whose events are then handled
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
  client: NodeRedisClient | IoRedisClient,
  options: RedisStoreOptions = {},
): ReceiverStore {
  const { prefix } = readOptions("an option of createRedisStore", options, {
    prefix: { ...string(), fallback: "tryon:event:" },
  });
  const run = (script: string, keys: string[], ...values: string[]): Promise<unknown> =>
    "call" in client
      ? client.eval(script, keys.length, ...keys, ...values)
      : client.eval(script, { keys, arguments: values });
  // JSON keeps keys with invalid UTF-16 apart.
  const keysOf = (key: string): string[] => [prefix + JSON.stringify(key)];

  let isChecked = false;
  return {
    async claim(key, owner, ttl) {
      const policy = isChecked ? "" : String(await run(policyScript, []));
      if (policy !== "" && policy !== "noeviction") throw new Error(evictionMessage(policy));
      isChecked = true;
      const state = await run(claimScript, keysOf(key), `open:${owner}`, `${Math.ceil(ttl)}`);
      // The script returns nothing else.
      return String(state) as ClaimState;
    },
    done: (key, ttl) => run(doneScript, keysOf(key), `${Math.ceil(ttl)}`),
    release: (key, owner) => run(releaseScript, keysOf(key), `open:${owner}`),
  };
}

function evictionMessage(policy: string): string {
  return `Redis may remove handled events: its maxmemory-policy is ${policy}. Set it to noeviction, or use a separate Redis.`;
}
