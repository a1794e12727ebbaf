import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis, type StoreServer } from "@tryon/test-kit/store-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { storeSuite } from "@tryon/webhooks/testing/store-suite";
import { connect } from "./connect.ts";
import type { Connection } from "./connect.ts";
import { startPostgresWithTable } from "./testing/postgres-with-table.ts";

const hasRedis = await isInstalled("redis");
const hasPostgres = await isInstalled("postgres");
const hour = 3_600_000;

function onServer(start: () => Promise<StoreServer>): void {
  let server: StoreServer;
  let connections: Connection[];
  beforeAll(async () => {
    server = await start();
    connections = [];
    for (let index = 0; index < 4; index += 1) connections.push(await connect(server.url));
  }, 60_000);
  afterAll(async () => {
    for (const connection of connections) await connection.close();
    await server.remove();
  }, 60_000);

  storeSuite(() => {
    const [first, ...others] = connections.map(({ store }) => store);
    if (first === undefined) throw new Error("No connection was made.");
    return { clients: [first, ...others] };
  });

  describe("a separate server", () => {
    let own: StoreServer;
    let connection: Connection;
    beforeAll(async () => {
      own = await start();
      connection = await connect(own.url);
    }, 60_000);
    afterAll(async () => {
      await connection.close();
      await own.remove();
    }, 60_000);

    it("is missed by every step while it is gone, and is back with all it knew", async () => {
      const { store } = connection;
      await store.claim("open", "one", hour);
      await store.done("done", hour);
      await own.stop();
      await expect(store.claim("new", "one", hour)).rejects.toBeInstanceOf(Error);
      await expect(store.done("new", hour)).rejects.toBeInstanceOf(Error);
      await expect(store.release("open", "one")).rejects.toBeInstanceOf(Error);
      await own.start();
      await expect
        .poll(() => store.claim("done", "two", hour).catch(() => "gone"), { interval: 20 })
        .toBe("done");
      expect(await store.claim("open", "two", hour)).toBe("open");
      expect(await store.claim("new", "two", hour)).toBe("claimed");
    });
  });
}

describe.runIf(hasRedis)("the store in Redis", () => {
  onServer(startRedis);
});

describe.runIf(hasPostgres)("the store in PostgreSQL", () => {
  onServer(startPostgresWithTable);
});
