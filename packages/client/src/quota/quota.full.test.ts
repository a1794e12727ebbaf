import { join } from "node:path";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startScript } from "@tryon/test-kit/start-program";
import { connectIoRedis, connectPostgres, connectSqlite } from "@tryon/test-kit/store-clients";
import {
  startPostgres,
  startRedis,
  startSqlite,
  type StoreServer,
} from "@tryon/test-kit/store-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { connectQuotaStore, type QuotaConnection } from "../../test/quota-stores.ts";
import { quotaSuite } from "../../test/quota-suite.ts";
import { createPostgresQuotaStore } from "./postgres.ts";
import { createRedisQuotaStore } from "./redis.ts";
import { createSqliteQuotaStore } from "./sqlite.ts";

const program = join(import.meta.dirname, "../../test/quota-program.ts");
const hour = 3_600_000;
const hasRedis = await isInstalled("redis");
const hasPostgres = await isInstalled("postgres");

type Connect = (url: string) => Promise<QuotaConnection>;

function onServer(
  start: () => Promise<Pick<StoreServer, "url" | "remove">>,
  connect: Connect = connectQuotaStore,
): () => string {
  let server: Awaited<ReturnType<typeof start>>;
  let connections: readonly [QuotaConnection, ...QuotaConnection[]];
  const url = () => server.url;
  beforeAll(async () => {
    server = await start();
    const first = await connect(url());
    connections = [first, ...(await Promise.all([1, 2, 3].map(() => connect(url()))))];
  }, 60_000);
  afterAll(async () => {
    for (const { close } of connections) await close();
    await server.remove();
  }, 60_000);

  quotaSuite(() => {
    const [{ store }, ...others] = connections;
    return [store, ...others.map((other) => other.store)];
  });

  it("allows six processes the quota together, although three of them are killed", async () => {
    const three = (perDay: number) =>
      [1, 2, 3].map(() => {
        const server = startScript(program, [url(), String(perDay)]);
        onTestFinished(async () => void (await server.stop("SIGKILL")));
        return server;
      });
    const allowedOf = (servers: ReturnType<typeof three>) =>
      servers.flatMap(({ output }) => output.stdout.match(/allowed/g) ?? []).length;
    const killed = three(1_000_000);
    for (const server of killed) {
      await server.waitFor(/allowed/);
      await server.stop("SIGKILL");
    }
    const perDay = allowedOf(killed) + 100;
    const others = three(perDay);
    for (const server of others) await server.waitFor(/full/);
    const allowed = allowedOf([...killed, ...others]);
    expect(allowed).toBeLessThanOrEqual(perDay);
    // Each killed process may have counted one more than it has printed.
    expect(allowed).toBeGreaterThanOrEqual(perDay - 3);
  }, 60_000);
  return url;
}

describe.runIf(hasRedis)("counters in Redis", () => {
  describe("with @redis/client", () => void onServer(startRedis));
  describe("with ioredis", () => {
    const url = onServer(startRedis, async (server) => {
      const { client, close } = await connectIoRedis(server);
      return { store: createRedisQuotaStore(client), close };
    });

    it("have a prefix, and expire by themselves", async () => {
      const { client, close } = await connectIoRedis(url());
      await createRedisQuotaStore(client, { prefix: "shop:" }).increment("ada", hour);
      expect(await client.get("shop:ada")).toBe("1");
      expect(await client.pttl("shop:ada")).toBeGreaterThan(0);
      await close();
    });
  });

  it("reject an unknown option", () => {
    const client = { eval: async () => 1 };
    // Callers without types can set any option.
    const options = { keyPrefix: "shop:" } as object;
    expect(() => createRedisQuotaStore(client, options)).toThrow(
      "keyPrefix is not an option of createRedisQuotaStore.",
    );
  });
});

describe.runIf(hasPostgres)("counters in PostgreSQL", () => {
  const url = onServer(startPostgres);

  it("are deleted after they have expired", async () => {
    const { client, close } = await connectPostgres(url());
    const store = createPostgresQuotaStore(client, { table: "public.expiring", createTable: true });
    await testDeletion(store);
    await close();
  });
});

describe("counters in SQLite", () => {
  const url = onServer(startSqlite);

  it("are deleted after they have expired", async () => {
    const { client, close } = await connectSqlite(url());
    const store = createSqliteQuotaStore(client, { table: "expiring", createTable: true });
    await testDeletion(store);
    expect(() => createSqliteQuotaStore(client, { table: "a b" })).toThrow("table must be a name");
    await close();
  });
});

async function testDeletion(store: ReturnType<typeof createSqliteQuotaStore>): Promise<void> {
  await store.increment("kept", hour);
  for (const key of ["one", "two"]) await store.increment(key, 1);
  let deleted = 0;
  await expect.poll(async () => (deleted += await store.deleteExpired())).toBe(2);
  expect(await store.get("kept")).toBe(1);
}
