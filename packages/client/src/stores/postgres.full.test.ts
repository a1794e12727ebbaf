import type { SharedJournal } from "@tryon/client/batch";
import { openPostgresJournal } from "@tryon/client/postgres";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, type StoreServer } from "@tryon/test-kit/store-servers";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { claimSuite, journalSuite, type JournalStorage } from "../../test/journal-suite.ts";
import { sharedBatchSuite } from "../../test/shared-batch-suite.ts";

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

  const storage = (claimTtl?: number): JournalStorage<SharedJournal> => ({
    open: () => openPostgresJournal(connect(), "spring-2027", { claimTtl }),
    clear: async () => void (await connect().query("DELETE FROM tryon_journal", [])),
    contents: async () =>
      JSON.stringify((await connect().query("SELECT * FROM tryon_journal")).rows),
  });
  journalSuite(storage);
  claimSuite(storage);
  sharedBatchSuite(storage);

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
