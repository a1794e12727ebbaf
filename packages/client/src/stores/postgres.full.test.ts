import { batch } from "@tryon/client/batch";
import { openPostgresJournal } from "@tryon/client/postgres";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, type StoreServer } from "@tryon/test-kit/store-servers";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { entry } from "../../test/journal-folder.ts";
import { collect, createService, input } from "../../test/service.ts";
import { sharedJournalSuite, type OpenStorage } from "../../test/shared-batch-suite.ts";

describe.runIf(await isInstalled("postgres"))("a journal in PostgreSQL", () => {
  let server: StoreServer;
  beforeAll(async () => {
    server = await startPostgres();
    const pool = new Pool({ connectionString: server.url });
    await openPostgresJournal(pool, "a", { createTable: true });
    await pool.end();
  }, 60_000);
  afterAll(() => server.remove(), 60_000);

  function connect(): Pool {
    // A property opens hundreds of journals, and the server takes 100 connections.
    const pool = new Pool({ connectionString: server.url, idleTimeoutMillis: 100 });
    // The pool closes its connections after the test, and the server can stop before that.
    pool.on("error", () => undefined);
    onTestFinished(() => pool.end());
    return pool;
  }

  const storage: OpenStorage = (claimTtl) => ({
    open: () => openPostgresJournal(connect(), "spring-2027", { claimTtl }),
    clear: async () => void (await connect().query("DELETE FROM tryon_journal", [])),
    contents: async () =>
      JSON.stringify((await connect().query("SELECT * FROM tryon_journal")).rows),
  });
  sharedJournalSuite(storage);

  it("writes nothing for a claim on an item that has ended or is held", async () => {
    await storage().clear();
    const other = await storage().open();
    for (const id of ["ended", "held"]) await other.claim(id, "other");
    await other.putClaimed(entry("ended", { state: "succeeded" }), "other");
    const client = new Client({ connectionString: server.url });
    onTestFinished(() => client.end());
    await client.connect();
    const journal = await openPostgresJournal(client, "spring-2027");
    /** Claims an item, and returns whether that took a transaction id. */
    const claim = async (id: string) => {
      await client.query("BEGIN");
      const { state } = await journal.claim(id, "own");
      const { rows } = await client.query("SELECT pg_current_xact_id_if_assigned() AS xid");
      await client.query("COMMIT");
      return { state, writes: rows[0].xid !== null };
    };
    expect(await claim("ended")).toEqual({ state: "ended", writes: false });
    expect(await claim("held")).toEqual({ state: "held", writes: false });
    expect(await claim("new")).toEqual({ state: "claimed", writes: true });
  });

  it("reads finished items of a batch in pages, and writes nothing for them", async () => {
    await storage().clear();
    const pool = connect();
    const statements: string[] = [];
    const client = {
      query: (text: string, values: unknown[]) => {
        statements.push(text);
        return pool.query(text, values);
      },
    };
    const journal = await openPostgresJournal(client, "spring-2027");
    const service = createService();
    const ids = Array.from({ length: 300 }, (_, index) => `sku-${index}`);
    const { token } = await service.mock.createKey({ credits: 10_000, rateLimitPerMinute: 1e6 });
    const run = async (): Promise<number> => {
      const options = { id: (id: string) => id, input: () => input, journal };
      const items = batch(service.client({ apiKey: token }), ids, options);
      const ended = await service.run(collect(items));
      return ended.filter(({ fromJournal, result }) => fromJournal && result).length;
    };
    /** Returns the next id of a transaction that writes. */
    const nextTransaction = async (): Promise<number> => {
      const { rows } = await pool.query("SELECT pg_snapshot_xmax(pg_current_snapshot()) AS next");
      return Number(rows[0].next);
    };
    expect(await run()).toBe(0);
    statements.length = 0;
    const next = await nextTransaction();
    expect(await run()).toBe(300);
    expect(await nextTransaction()).toBe(next);
    // The first claims, and three pages.
    expect(statements.length).toBeLessThan(16);
  });

  it("creates its table in many processes at the same time, and keeps an existing one", async () => {
    await connect().query("DROP TABLE tryon_journal");
    const pools = Array.from({ length: 8 }, connect);
    const opened = await Promise.all(
      pools.map((pool) => openPostgresJournal(pool, "a", { createTable: true })),
    );
    expect(await opened[0]?.claim("b", "one")).toMatchObject({ state: "claimed" });
    const again = await openPostgresJournal(connect(), "a", { createTable: true });
    expect(await again.claim("b", "two")).toMatchObject({ state: "held" });
    const other = await openPostgresJournal(connect(), "another");
    expect(await other.claim("b", "two")).toMatchObject({ state: "claimed" });
  });
});
