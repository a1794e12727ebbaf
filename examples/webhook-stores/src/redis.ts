import type { createClient } from "@redis/client";
import type { ClaimState, ReceiverStore } from "@tryon/webhooks";

/** As much of a client of `@redis/client`, or of `redis`, as the store uses. */
export type RedisCommands = Pick<ReturnType<typeof createClient>, "eval" | "set">;

/** A script runs as one step: nothing that another client sends comes between its commands. */
const claimScript = `
  local held = redis.call("GET", KEYS[1])
  if held == "done" then return "done" end
  if held and held ~= ARGV[1] then return "open" end
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  return "claimed"
`;

const releaseScript = `
  if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end
`;

/**
 * Remembers events in Redis, for any number of receivers. Redis itself forgets what has run out, by
 * its own clock, so the clocks of the receivers do not matter.
 *
 * Three settings decide whether it keeps its word. The client: `disableOfflineQueue: true`, or a
 * delivery waits for a server that is gone instead of being answered 500 and sent again. The server:
 * `appendonly yes`, or a restart forgets what was handled, and `maxmemory-policy noeviction`, or a
 * full memory does. A failover to a replica may forget the last moments all the same.
 *
 * @example
 * const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true });
 * client.on("error", (error) => console.error("Redis:", error.message));
 * await client.connect();
 * const store = createRedisStore(client);
 */
export function createRedisStore(client: RedisCommands, prefix = "tryon:"): ReceiverStore {
  // As JSON two keys are never the same bytes, whatever characters they are made of.
  const keyOf = (key: string): string => prefix + JSON.stringify(key);

  return {
    async claim(key, owner, ttl) {
      const said = await client.eval(claimScript, {
        keys: [keyOf(key)],
        arguments: [`open:${owner}`, String(Math.ceil(ttl))],
      });
      // The script says nothing else.
      return said as ClaimState;
    },
    async done(key, ttl) {
      await client.set(keyOf(key), "done", {
        expiration: { type: "PX", value: Math.ceil(ttl) },
      });
    },
    async release(key, owner) {
      await client.eval(releaseScript, { keys: [keyOf(key)], arguments: [`open:${owner}`] });
    },
  };
}
