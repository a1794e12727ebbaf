import type { RedisClient } from "./clients.ts";
import { checkStoreVersion, once, storeVersion, type Fail } from "./store-version.ts";

export type RunScript = (
  script: string,
  keys: readonly string[],
  ...args: readonly string[]
) => Promise<unknown>;

export interface RedisRequirements {
  readonly versionKey: string;
  /** Data of the store, for messages: `the journal`. */
  readonly data: string;
  /** If `accept`, Redis may evict the data. If `reject`, it must not, and must report its policy. */
  readonly eviction: "accept" | "reject-known" | "reject";
  readonly fail: Fail;
}

/** Returns the version and the policy, which is an empty text if it is unknown. */
const checkScript = `
redis.call("SET", KEYS[1], ARGV[1], "NX")
local info = redis.pcall("INFO", "memory")
local policy = type(info) == "string" and string.match(info, "maxmemory_policy:([%w-]+)")
return {redis.call("GET", KEYS[1]), policy or ""}
`;

/** Returns the digest by which Redis knows a script. Sending a script takes half of the time of a call. */
const digestScript = `return redis.sha1hex(ARGV[1])`;

export function redisScripts(client: RedisClient, requirements: RedisRequirements): RunScript {
  const { versionKey, data, eviction, fail } = requirements;
  const evaluate: RunScript = (script, keys, ...args) =>
    "call" in client
      ? client.eval(script, keys.length, ...keys, ...args)
      : client.eval(script, { keys: [...keys], arguments: [...args] });
  const digests = new Map<string, Promise<unknown>>();
  const run: RunScript = async (script, keys, ...args) => {
    const digest = digests.get(script) ?? evaluate(digestScript, [], script);
    digests.set(script, digest);
    const sha1 = String(await digest.catch(() => digests.delete(script)));
    const options = { keys: [...keys], arguments: [...args] };
    try {
      if ("call" in client) {
        return await client.call("EVALSHA", sha1, String(keys.length), ...keys, ...args);
      }
      if (client.evalSha) return await client.evalSha(sha1, options);
    } catch (error) {
      // Redis has not run the script: it does not have it yet, or the user may only run EVAL.
      if (!/^(NOSCRIPT|NOPERM)/.test(Object(error).message)) throw error;
    }
    return evaluate(script, keys, ...args);
  };
  const check = once(async () => {
    const found = await run(checkScript, [versionKey], String(storeVersion));
    // The script returns two texts.
    const [version, policy] = found as readonly [string, string];
    checkStoreVersion(version, `The key ${versionKey} of Redis`, fail);
    if (eviction === "reject" && policy === "") {
      throw fail(
        `This Redis does not report its maxmemory-policy, so it may evict ${data}.`,
        "Allow its user to run INFO. Or make sure that the policy is noeviction, and set `checkPolicy: false`.",
      );
    }
    if (eviction !== "accept" && policy !== "" && policy !== "noeviction") {
      throw fail(
        `This Redis may evict ${data}: its maxmemory-policy is ${policy}.`,
        "Set it to noeviction, for example with `CONFIG SET maxmemory-policy noeviction`, or use another Redis.",
      );
    }
  });
  return async (script, keys, ...args) => {
    await check();
    return run(script, keys, ...args);
  };
}
