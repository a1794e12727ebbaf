import { join } from "node:path";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startScript, type Program } from "@tryon/test-kit/start-program";
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
import { createPostgresQuotaStore, type TableQuotaStore } from "./postgres.ts";
import { createRedisQuotaStore } from "./redis.ts";
import { createSqliteQuotaStore } from "./sqlite.ts";

const program = join(import.meta.dirname, "../../test/quota-program.ts");
const hour = 3_600_000;
const hasRedis = await isInstalled("redis");
const hasPostgres = await isInstalled("postgres");

type Connect = (url: string) => Promise<QuotaConnection>;

/** Starts three servers that submit until the quota rejects a submission. */
function startThree(url: string, perDay: number): readonly Program[] {
  return [1, 2, 3].map(() => {
    const started = startScript(program, [url, String(perDay)]);
    onTestFinished(async () => void (await started.stop("SIGKILL")));
    return started;
  });
}

function numberOf(word: RegExp, programs: readonly Program[]): number {
  return programs.flatMap(({ output }) => output.stdout.match(word) ?? []).length;
}

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

  it("allows six processes the quota together, although three of them are killed, and counts a refusal once", async () => {
    const killed = startThree(url(), 1_000_000);
    for (const one of killed) {
      await one.waitFor(/allowed/);
      await one.stop("SIGKILL");
    }
    const perDay = numberOf(/allowed/g, killed) + 100;
    const others = startThree(url(), perDay);
    for (const one of others) await one.waitFor(/full[^]*429/);
    const allowed = numberOf(/allowed/g, [...killed, ...others]);
    expect(allowed).toBeLessThanOrEqual(perDay);
    // Each killed process may have counted one more than it has printed.
    expect(allowed).toBeGreaterThanOrEqual(perDay - 3);
    // Each of them has reported the same refusals.
    expect(numberOf(/counted/g, others)).toBe(200);
  }, 60_000);
  return url;
}

describe.runIf(hasRedis)("counters in Redis", () => {
  describe("with @redis/client", () => void onServer(startRedis));
  describe("with ioredis", () => {
    const url = onServer(startRedis, async (address) => {
      const { client, close } = await connectIoRedis(address);
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
});

describe.runIf(hasPostgres)("counters in PostgreSQL", () => {
  const url = onServer(startPostgres);

  it("are deleted after they have expired", async () => {
    const { client, close } = await connectPostgres(url());
    const store = createPostgresQuotaStore(client, { table: "public.expiring", createTable: true });
    expect(await deleteTwo(store)).toEqual([2, 1]);
    await close();
  });
});

describe("counters in SQLite", () => {
  const url = onServer(startSqlite);

  it("are deleted after they have expired", async () => {
    const { client, close } = await connectSqlite(url());
    const store = createSqliteQuotaStore(client, { table: "expiring", createTable: true });
    expect(await deleteTwo(store)).toEqual([2, 1]);
    await close();
  });
});

/** Returns the number of deleted counters of two expired ones and one other, and the value of the other. */
async function deleteTwo(store: TableQuotaStore): Promise<readonly number[]> {
  await store.increment("kept", hour);
  for (const key of ["one", "two"]) await store.increment(key, 1);
  let deleted = 0;
  while (deleted < 2) deleted += await store.deleteExpired();
  return [deleted + (await store.deleteExpired()), await store.get("kept")];
}
