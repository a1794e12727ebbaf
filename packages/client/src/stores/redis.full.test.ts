import { createClient } from "@redis/client";
import { openRedisJournal, type RedisClient } from "@tryon/client/redis";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis, type StoreServer } from "@tryon/test-kit/store-servers";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { sharedJournalSuite, type OpenStorage } from "../../test/shared-batch-suite.ts";

const connections = {
  "@redis/client": async (url: string): Promise<RedisClient> => {
    const client = createClient({ url });
    onTestFinished(() => client.destroy());
    return client.connect();
  },
  ioredis: async (url: string): Promise<RedisClient> => {
    const client = new Redis(url);
    onTestFinished(() => client.disconnect());
    return client;
  },
};

describe.runIf(await isInstalled("redis"))("a journal in Redis", () => {
  let server: StoreServer;
  beforeAll(async () => {
    server = await startRedis();
  }, 60_000);
  afterAll(() => server.remove(), 60_000);

  async function run(...args: string[]): Promise<unknown> {
    const client = new Redis(server.url);
    const [command = "", ...rest] = args;
    return client.call(command, ...rest).finally(() => client.disconnect());
  }

  describe.each(Object.entries(connections))("with %s", (_name, connect) => {
    const storage: OpenStorage = (claimTtl) => ({
      open: async () => openRedisJournal(await connect(server.url), "spring-2027", { claimTtl }),
      clear: async () => void (await run("FLUSHALL")),
      contents: async () => JSON.stringify(await run("HGETALL", "tryon:journal:{spring-2027}")),
    });
    sharedJournalSuite(storage);

    it("sends each script once, and then its digest, with all steps of one moment", async () => {
      const journal = await storage().open();
      await run("CONFIG", "RESETSTAT");
      for (let index = 0; index < 20; index += 1) await journal.claim(`sku-${index}`, "one");
      const stats = String(await run("INFO", "commandstats"));
      const callsOf = (name: string) =>
        Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      // One for the digest, and one for the script unless Redis has it.
      expect(callsOf("eval")).toBeLessThanOrEqual(2);
      expect(callsOf("evalsha")).toBe(20);
      const ids = Array.from({ length: 20 }, (_, index) => `sku-${index}`);
      await Promise.all(ids.map((id) => journal.claim(id, "two")));
      expect(
        Number(/evalsha:calls=(\d+)/.exec(String(await run("INFO", "commandstats")))?.[1]),
      ).toBe(21);
    });

    it("rejects a policy that evicts keys, and names the fix", async () => {
      const client = await connect(server.url);
      await run("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      onTestFinished(
        async () => void (await run("CONFIG", "SET", "maxmemory-policy", "noeviction")),
      );
      const message =
        "This Redis may evict the journal: its maxmemory-policy is allkeys-lru. Set it to noeviction, for example with `CONFIG SET maxmemory-policy noeviction`, or use another Redis.";
      await expect(openRedisJournal(client, "a")).rejects.toMatchObject({
        code: "invalid_config",
        message,
      });
    });

    it("reads the policy if CONFIG is forbidden, and needs an option if INFO is", async () => {
      const url = new URL(server.url);
      [url.username, url.password] = ["app", "test"];
      await run("ACL", "SETUSER", "app", "reset", "on", ">test", "~*", "+@all", "-config");
      onTestFinished(async () => void (await run("ACL", "DELUSER", "app")));
      const client = await connect(url.href);
      await openRedisJournal(client, "a");
      await run("ACL", "SETUSER", "app", "-info");
      await expect(openRedisJournal(client, "a")).rejects.toThrow(
        "This Redis does not report its maxmemory-policy",
      );
      const journal = await openRedisJournal(client, "a", { checkPolicy: false });
      expect(await journal.claim("b", "one")).toMatchObject({ state: "claimed" });
    });
  });
});
