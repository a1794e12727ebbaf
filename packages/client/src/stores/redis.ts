import type { RedisClient } from "@tryon/shared/stores/clients";
import { groupCalls } from "@tryon/shared/stores/group-calls";
import { redisScripts } from "@tryon/shared/stores/redis-scripts";
import type { ItemClaim, JournalEntry } from "@tryon/client/batch";

import type { QuotaStore } from "../proxy/quota-store.ts";
import { checkOptions } from "../proxy/resolve-options.ts";
import {
  creditsPrefix,
  endOf,
  inUseError,
  storeError,
  readClaimTtl,
  readText,
  textOf,
  wholeLimit,
  type DatabaseJournal,
  type SharedJournalOptions,
} from "./journal-entry.ts";

export type { IoRedisClient, NodeRedisClient, RedisClient } from "@tryon/shared/stores/clients";
export type { DatabaseJournal, QuotaStore, SharedJournalOptions };

/** Options of `openRedisJournal`. */
export interface RedisJournalOptions extends SharedJournalOptions {
  /**
   * If false, accepts a Redis that does not report its `maxmemory-policy`. Use it only if the policy is `noeviction`.
   *
   * @default true
   */
  readonly checkPolicy?: boolean | undefined;
}

/**
 * Opens a journal in Redis 5 or later, or a compatible server such as Valkey. Several processes can work on one batch with
 * it: each item is claimed by one of them, and another one takes over the items of a killed process.
 *
 * The journal is the hashes `tryon:journal:{NAME}` and `tryon:journal:{NAME}:claims` and the text
 * `tryon:journal:{NAME}:version`, which never expire. Call `delete` when the batch is done. They contain no image, API key or signed URL.
 * Keys that start with `tryon:schedule:` have the time of the next submission for an API key, and expire. Redis must persist writes (`appendonly yes`). If it
 * loses some, repeated submissions have the same keys, so a service that still remembers them charges nothing more.
 *
 * Redis must not evict keys. The journal reads `maxmemory_policy` from `INFO memory`, since managed services often forbid
 * `CONFIG`. If `INFO` is forbidden, too, set `checkPolicy` to `false`.
 *
 * @param client - Connected client of `redis`, `@redis/client` or `ioredis`. Closing it is up to the caller.
 * @param name - Name of the batch, the same in each process and run: 1 to 100 letters, digits and `.`, `_`, `:` or `-`. Use a
 * new name for a new batch.
 * @throws `invalid_input` if the name or an option is invalid or unknown. `invalid_config` if the `maxmemory-policy` is not
 * `noeviction` or unknown, or if a newer release has written the journal. Errors of the client.
 * @example
 * import { createClient } from "@redis/client";
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 * import { openRedisJournal } from "@tryon/client/redis";
 *
 * const client = await createClient({ url: process.env.REDIS_URL ?? "redis://127.0.0.1" }).connect();
 * const journal = await openRedisJournal(client, "spring-2027");
 * for await (const item of batch(new TryOn(), inputs, { id: ({ sku }) => sku, journal })) console.log(item.id);
 * client.destroy();
 */
export async function openRedisJournal(
  client: RedisClient,
  name: string,
  options: RedisJournalOptions = {},
): Promise<DatabaseJournal> {
  const claimTtl = readClaimTtl("openRedisJournal", name, options, "checkPolicy");
  // Braces keep all keys in one slot of a cluster.
  const key = `tryon:journal:{${name}}`;
  const runScript = redisScripts(client, {
    versionKey: `${key}:version`,
    data: "the journal",
    eviction: options.checkPolicy === false ? "accept" : "reject",
    fail: storeError,
  });
  const run = (script: string, ...args: string[]): Promise<unknown> =>
    runScript(script, [key, `${key}:claims`], ...args);
  // The script returns a result for each step.
  const runStep = groupCalls(
    async (steps: readonly Step[]) => (await run(stepsScript, JSON.stringify(steps))) as unknown[],
  );
  const put = async (entry: JournalEntry, owner: string, limit = ""): Promise<unknown> => {
    const { id, credits = "" } = entry;
    return runStep(["put", fieldOf(id), owner, valueOf(entry), String(credits), limit]);
  };
  // Checks the policy and the version.
  await run(getScript, "");
  return {
    name,
    claimTtl,
    async get(id) {
      return entryOf(await run(getScript, fieldOf(id)));
    },
    async *list() {
      const listed = new Set<string>();
      let cursor = "0";
      do {
        // The script returns the cursor and pairs of field and value.
        const reply = (await run(scanScript, cursor)) as readonly [string, readonly string[]];
        [cursor] = reply;
        for (const [index, field] of reply[1].entries()) {
          // Redis can return a field twice.
          if (index % 2 > 0 || listed.has(field)) continue;
          listed.add(field);
          const entry = entryOf(reply[1][index + 1]);
          if (entry) yield entry;
        }
      } while (cursor !== "0");
    },
    async put(entry) {
      await put(entry, "");
    },
    async putClaimed(entry, owner) {
      return (await put(entry, owner)) === "kept";
    },
    async putWithin(entry, owner, maxCredits) {
      const result = await put(entry, owner, String(wholeLimit(maxCredits)));
      return result === "full" ? result : result === "kept";
    },
    async total(initial) {
      const total = await run(totalScript, String(initial ?? ""));
      return total === null ? undefined : Number(total);
    },
    async takeTime(schedule, duration) {
      const wait = await runScript(timeScript, [`tryon:schedule:${schedule}`], String(duration));
      return Number(wait);
    },
    async claim(id, owner, isRetry = false) {
      const ended = endOf(isRetry);
      // The step returns the state, the value and the time.
      const reply = await runStep(["claim", fieldOf(id), owner, String(claimTtl), ended, ""]);
      const [state, value, now] = reply as readonly [ItemClaim["state"], string, unknown];
      return { state, entry: entryOf(value), now: Number(now) };
    },
    async refusedClaims(ids, owner) {
      const found = await run(refusedScript, owner, ...ids.map(fieldOf));
      // The script returns these values of each.
      const claims = found as readonly (readonly [number, ItemClaim["state"], string])[];
      return new Map(
        claims.map(([at, state, value]) => [ids[at - 1] ?? "", { state, entry: entryOf(value) }]),
      );
    },
    async renew(ids, owner) {
      await run(renewScript, owner, String(claimTtl), ...ids.map(fieldOf));
    },
    async release(id, owner) {
      await run(releaseScript, fieldOf(id), owner);
    },
    async delete() {
      const count = await runScript(deleteScript, [key, `${key}:claims`, `${key}:version`]);
      if (Number(count) < 0) throw inUseError(name);
      return Number(count);
    },
  };
}

/** Returns the field of an item. In JSON, no two ids are the same bytes. */
function fieldOf(id: string): string {
  return JSON.stringify(id);
}

function valueOf(entry: JournalEntry): string {
  return `${entry.state} ${textOf(entry)}`;
}

function entryOf(value: unknown): JournalEntry | undefined {
  return readText(typeof value === "string" ? value.slice(value.indexOf(" ") + 1) : undefined);
}

const getScript = `return redis.call("HGET", KEYS[1], ARGV[1])`;

const scanScript = `return redis.call("HSCAN", KEYS[1], ARGV[1], "COUNT", 500)`;

/** Functions for the owner and the end of a claim, by the clock of Redis. */
const claimFunctions = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function claimOf(field)
  local owner, ends = string.match(redis.call("HGET", KEYS[2], field) or "", "^(.*) (%d+)$")
  return owner, tonumber(ends or 0)
end
local function claim(field, owner, ttl)
  redis.call("HSET", KEYS[2], field, string.format("%s %.0f", owner, now + ttl))
end
`;

/** Arguments of a step. Steps of one process share a call: a call takes longer than a step. */
type Step = readonly [
  name: "claim" | "put",
  field: string,
  owner: string,
  ...rest: readonly [string, string, string],
];

/** The total is a field of the claims that no item has. A change of it depends on the entry that the new one replaces. */
const stepsScript = `
${claimFunctions}
local steps = {}
function steps.claim(field, owner, ttl, ended)
  local value = redis.call("HGET", KEYS[1], field) or ""
  local state = string.match(value, "^%a+")
  if state == "succeeded" or state == ended then return {"ended", value, now} end
  local other, ends = claimOf(field)
  if other and other ~= owner and ends > now then return {"held", value, now} end
  claim(field, owner, ttl)
  return {"claimed", value, now}
end
function steps.put(field, owner, value, credits, limit)
  if owner ~= "" and claimOf(field) ~= owner then return "lost" end
  local total = redis.call("HGET", KEYS[2], "total")
  if total and credits ~= "" then
    local last = redis.call("HGET", KEYS[1], field) or "refused"
    local counted = string.match(last, '^%a+ ${creditsPrefix}(%d+)')
    if not counted then counted = string.match(last, "^refused") and 0 or credits end
    total = total + credits - counted
    if limit ~= "" and total > tonumber(limit) then return "full" end
    redis.call("HSET", KEYS[2], "total", string.format("%.0f", total))
  elseif limit ~= "" then
    return "full"
  end
  redis.call("HSET", KEYS[1], field, value)
  local state = string.match(value, "^%a+")
  if state == "succeeded" or state == "failed" then redis.call("HDEL", KEYS[2], field) end
  return "kept"
end
local results = {}
for index, step in ipairs(cjson.decode(ARGV[1])) do
  results[index] = steps[step[1]](unpack(step, 2))
end
return results
`;

const refusedScript = `
${claimFunctions}
local refused = {}
for index, value in ipairs(redis.call("HMGET", KEYS[1], unpack(ARGV, 2))) do
  local state = string.match(value or "", "^%a+")
  if state == "succeeded" or state == "failed" then
    table.insert(refused, {index, "ended", value})
  else
    local other, ends = claimOf(ARGV[index + 1])
    if other and other ~= ARGV[1] and ends > now then
      table.insert(refused, {index, "held", value or ""})
    end
  end
end
return refused
`;

const totalScript = `
if ARGV[1] ~= "" then redis.call("HSETNX", KEYS[2], "total", ARGV[1]) end
return redis.call("HGET", KEYS[2], "total")
`;

/** Numbers in results of scripts lose their fraction. */
const timeScript = `
local time = redis.call("TIME")
local now = time[1] * 1000 + time[2] / 1000
local start = math.max(now, tonumber(redis.call("GET", KEYS[1]) or 0))
local ends = start + ARGV[1]
redis.call("SET", KEYS[1], string.format("%.3f", ends), "PX", math.ceil(ends - now) + 60000)
return string.format("%.3f", start - now)
`;

const renewScript = `
${claimFunctions}
for index = 3, #ARGV do
  if claimOf(ARGV[index]) == ARGV[1] then claim(ARGV[index], ARGV[1], ARGV[2]) end
end
`;

const releaseScript = `
${claimFunctions}
if claimOf(ARGV[1]) == ARGV[2] then redis.call("HDEL", KEYS[2], ARGV[1]) end
`;

/** The claims are few: those of items that have ended are deleted. */
const deleteScript = `
${claimFunctions}
for index, field in ipairs(redis.call("HKEYS", KEYS[2])) do
  local owner, ends = claimOf(field)
  if owner and ends > now then return -1 end
end
local count = redis.call("HLEN", KEYS[1])
redis.call("UNLINK", unpack(KEYS))
return count
`;

/** Options of `createRedisQuotaStore`. */
export interface RedisQuotaOptions {
  /** Prefix of all keys. @default "tryon:quota:" */
  readonly prefix?: string | undefined;
}

const incrementScript = `
local count = redis.call("INCR", KEYS[1])
if count == 1 then redis.call("PEXPIRE", KEYS[1], ARGV[1]) end
return count
`;

const countScript = `return redis.call("GET", KEYS[1]) or "0"`;

/**
 * Creates counters of `createQuota` in Redis, for any number of servers. Pass your own, connected client. Redis removes
 * expired counters. The key `version` after the prefix has the version of the counters.
 *
 * Redis may evict counters or lose them in a restart: the user can then exceed the quota by what was counted. Nothing is
 * paid twice.
 *
 * @throws `invalid_input` for an unknown option.
 * @example
 * import { createClient } from "@redis/client"; // or Redis of ioredis
 * import { createQuota } from "@tryon/client/proxy";
 * import { createRedisQuotaStore } from "@tryon/client/redis";
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
  const { prefix = "tryon:quota:" } = options;
  checkOptions<RedisQuotaOptions>("createRedisQuotaStore", options, {
    prefix: [typeof prefix === "string", "must be a string", "Omit the option for its default."],
  });
  const run = redisScripts(client, {
    versionKey: `${prefix}version`,
    data: "the counters",
    eviction: "accept",
    fail: storeError,
  });
  return {
    get: async (key) => Number(await run(countScript, [prefix + key])),
    increment: async (key, ttl) =>
      Number(await run(incrementScript, [prefix + key], `${Math.ceil(ttl)}`)),
  };
}
