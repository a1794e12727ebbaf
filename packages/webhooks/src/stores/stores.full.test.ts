import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import {
  connectIoRedis,
  connectNodeRedis,
  connectPostgres,
  connectSqlite,
} from "@tryon/test-kit/store-clients";
import { startPostgres, startRedis, startSqlite } from "@tryon/test-kit/store-servers";
import type { StoreServer } from "@tryon/test-kit/store-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { storeSuite } from "../../test/store-suite.ts";
import type { ReceiverStore } from "../index.ts";
import { createPostgresStore } from "./postgres.ts";
import { createRedisStore } from "./redis.ts";
import { createSqliteStore } from "./sqlite.ts";

interface Connection<Store = ReceiverStore> {
  readonly store: Store;
  readonly close: () => Promise<unknown>;
}

const hour = 3_600_000;
const hasRedis = await isInstalled("redis");
const hasPostgres = await isInstalled("postgres");

async function overNodeRedis(url: string) {
  const { client, close } = await connectNodeRedis(url);
  return { store: createRedisStore(client), client, close };
}

async function overIoRedis(url: string) {
  const { client, close } = await connectIoRedis(url);
  return { store: createRedisStore(client), client, close };
}

async function overPostgres(url: string, table?: string) {
  const { client, close } = await connectPostgres(url);
  return { store: createPostgresStore(client, { table, createTable: true }), client, close };
}

async function overSqlite(url: string, table?: string) {
  const { client, close } = await connectSqlite(url);
  return { store: createSqliteStore(client, { table, createTable: true }), client, close };
}

/** Data of the folder `stored`, as the release before stores had versions wrote it. */
const stored = (file: string): string =>
  readFileSync(join(import.meta.dirname, "../../test/stored", file), "utf8");

/** Tests data of other releases, on a connection to a server without events. */
function storedTests(
  connect: () => Promise<{
    readonly createStore: () => ReceiverStore;
    /** Writes the data of the folder. */
    readonly fill: () => Promise<unknown>;
    readonly setVersion: (version: number) => Promise<unknown>;
    readonly close: () => Promise<unknown>;
  }>,
): void {
  it("has the events of an earlier release, and refuses those of a newer one", async () => {
    const { createStore, fill, setVersion, close } = await connect();
    onTestFinished(async () => void (await close()));
    await fill();
    const claims = ["open", "done", "crashed"].map((name) =>
      createStore().claim(`tryon.completed:job_${name}`, "another", hour),
    );
    expect(await Promise.all(claims)).toEqual(["open", "done", "claimed"]);
    await setVersion(2);
    await expect(createStore().done("event", hour)).rejects.toThrow(
      "was written by a newer release. Nothing was changed. Update this package.",
    );
  });
}

const setTableVersion = (version: number): string =>
  `UPDATE tryon_events SET owner = '${version}' WHERE key = 'version'`;

function onServer<Server extends Pick<StoreServer, "url" | "remove">>(
  start: () => Promise<Server>,
): () => Server {
  let server: Server;
  beforeAll(async () => {
    server = await start();
  }, 60_000);
  afterAll(() => server.remove(), 60_000);
  return () => server;
}

function sharedSuite(urlOf: () => string, connect: (url: string) => Promise<Connection>): void {
  let connections: readonly Connection[];
  beforeAll(async () => {
    connections = await Promise.all(Array.from({ length: 4 }, () => connect(urlOf())));
  }, 60_000);
  afterAll(async () => {
    for (const { close } of connections) await close();
  }, 60_000);
  storeSuite(() => {
    const [first, ...others] = connections.map(({ store }) => store);
    if (first === undefined) throw new Error("No connection was opened.");
    return { clients: [first, ...others] };
  });
}

function outageTest(
  start: () => Promise<StoreServer>,
  connect: (url: string) => Promise<Connection>,
): void {
  const server = onServer(start);
  it("rejects every call while its server is stopped, and keeps its events", async () => {
    const { store, close } = await connect(server().url);
    await store.claim("open", "one", hour);
    await store.done("done", hour);
    await server().stop();
    await expect(store.claim("new", "one", hour)).rejects.toBeInstanceOf(Error);
    await expect(store.done("new", hour)).rejects.toBeInstanceOf(Error);
    await expect(store.release("open", "one")).rejects.toBeInstanceOf(Error);
    await server().start();
    const claim = () => store.claim("done", "two", hour).catch(() => "unreachable");
    await expect.poll(claim, { interval: 20 }).toBe("done");
    expect(await store.claim("open", "two", hour)).toBe("open");
    expect(await store.claim("new", "two", hour)).toBe("claimed");
    await close();
  });
}

describe.runIf(hasRedis)("the store in Redis", () => {
  const server = onServer(startRedis);
  describe("with @redis/client", () => {
    sharedSuite(() => server().url, overNodeRedis);
    describe("after a restart", () => {
      outageTest(startRedis, overNodeRedis);
    });
  });
  describe("with ioredis", () => {
    sharedSuite(() => server().url, overIoRedis);
    describe("after a restart", () => {
      outageTest(startRedis, overIoRedis);
    });
  });

  describe("with another policy", () => {
    const other = onServer(startRedis);
    it("rejects claims until Redis keeps events", async () => {
      const { store, client, close } = await overNodeRedis(other().url);
      await client.sendCommand(["CONFIG", "SET", "maxmemory-policy", "volatile-lru"]);
      const claim = () => store.claim("event", "one", hour);
      await expect(claim()).rejects.toThrow("its maxmemory-policy is volatile-lru. Set it to noev");
      await client.sendCommand(["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
      expect(await claim()).toBe("claimed");
      await close();
    });

    it("accepts claims of users that may not read the policy", async () => {
      const admin = await overNodeRedis(other().url);
      const rules = ["on", "nopass", "~*", "+@all", "-info"];
      await admin.client.sendCommand(["ACL", "SETUSER", "receiver", ...rules]);
      const { store, close } = await overNodeRedis(other().url.replace("//", "//receiver:any@"));
      expect(await store.claim("other event", "one", hour)).toBe("claimed");
      for (const connection of [admin, { close }]) await connection.close();
    });
  });

  describe("with data of other releases", () => {
    const other = onServer(startRedis);
    storedTests(async () => {
      const { client, close } = await connectNodeRedis(other().url);
      return {
        createStore: () => createRedisStore(client),
        fill: async () => {
          // The file has commands.
          const commands = JSON.parse(stored("redis.json")) as string[][];
          for (const command of commands) await client.sendCommand(command);
        },
        setVersion: (version) => client.set("tryon:event:version", version),
        close,
      };
    });
  });

  it("has its own keys for each prefix", async () => {
    const { client, close } = await connectNodeRedis(server().url);
    const stores = ["a:", "b:"].map((prefix) => createRedisStore(client, { prefix }));
    for (const store of stores) expect(await store.claim("event", "one", hour)).toBe("claimed");
    expect(await client.exists(['a:"event"', 'b:"event"'])).toBe(2);
    await close();
  });
});

function tableTests(
  urlOf: () => string,
  connect: (url: string, table?: string) => ReturnType<typeof overPostgres | typeof overSqlite>,
): void {
  it("deletes expired events, and no others", async () => {
    const { store, close } = await connect(urlOf(), "expiring");
    await store.done("done", hour);
    await store.claim("claimed", "one", hour);
    await store.done("expired", 1);
    await store.claim("expired too", "one", 1);
    let deleted = 0;
    await expect.poll(async () => (deleted += await store.deleteExpired())).toBe(2);
    expect(await store.claim("done", "two", hour)).toBe("done");
    expect(await store.claim("claimed", "two", hour)).toBe("open");
    await close();
  });
}

describe.runIf(hasPostgres)("the store in PostgreSQL", () => {
  const server = onServer(startPostgres);
  sharedSuite(() => server().url, overPostgres);
  describe("after a restart", () => {
    outageTest(startPostgres, overPostgres);
  });
  tableTests(() => server().url, overPostgres);

  describe("with data of other releases", () => {
    const other = onServer(startPostgres);
    storedTests(async () => {
      const { client, close } = await connectPostgres(other().url);
      return {
        createStore: () => createPostgresStore(client, { createTable: true }),
        fill: () => client.query(stored("postgres.sql")),
        setVersion: (version) => client.query(setTableVersion(version)),
        close,
      };
    });
  });

  it("dates a claim by its statement, also in a transaction that began earlier", async () => {
    const { client, close } = await connectPostgres(server().url);
    const connection = await client.connect();
    const store = createPostgresStore(connection, { table: "public.dated", createTable: true });
    await store.claim("first", "one", hour);
    await connection.query("BEGIN");
    await connection.query("SELECT pg_sleep(0.2)");
    await store.claim("second", "one", hour);
    const { rows } = await connection.query(
      "SELECT expires_at - extract(epoch FROM now()) * 1000 > $1 AS lasts FROM public.dated WHERE owner = 'one' AND key LIKE '%second%'",
      [hour + 199],
    );
    expect(rows).toEqual([{ lasts: true }]);
    await connection.query("COMMIT");
    connection.release();
    await close();
  });

  it("creates its table once for eight connections at the same time", async () => {
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => overPostgres(server().url, "public.crowded")),
    );
    const claims = stores.map(({ store }, index) => store.claim("event", `${index}`, hour));
    expect((await Promise.all(claims)).toSorted()).toEqual(["claimed", ...Array(7).fill("open")]);
    for (const { close } of stores) await close();
  });
});

describe("the store in SQLite", () => {
  const file = onServer(startSqlite);
  sharedSuite(() => file().url, overSqlite);
  tableTests(() => file().url, overSqlite);

  storedTests(async () => {
    const client = new DatabaseSync(":memory:");
    return {
      createStore: () => createSqliteStore(client, { createTable: true }),
      fill: async () => client.exec(stored("sqlite.sql")),
      setVersion: async (version) => client.exec(setTableVersion(version)),
      close: async () => client.close(),
    };
  });

  it("keeps its events in the file", async () => {
    const before = await overSqlite(file().url);
    await before.store.done("kept", hour);
    await before.close();
    const after = await overSqlite(file().url);
    expect(await after.store.claim("kept", "one", hour)).toBe("done");
    await after.close();
  });
});
