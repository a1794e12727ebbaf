import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import { openSqliteJournal, type SqliteDatabase } from "@tryon/client/sqlite";
import { sqliteDialect } from "@tryon/shared/stores/sql-table";
import { describe, expect, it, onTestFinished } from "vitest";

import { entry, temporaryFolder } from "../../test/journal-folder.ts";
import { sharedJournalSuite } from "../../test/shared-batch-suite.ts";
import { openTableJournal } from "./table-journal.ts";
import { createTableQuotaStore } from "./table-quota-store.ts";

/** Opens connections to one database per test. */
const folders = new Map<unknown, Promise<string>>();

async function connect(): Promise<DatabaseSync> {
  const { currentTestName } = expect.getState();
  const folder = folders.get(currentTestName) ?? temporaryFolder();
  folders.set(currentTestName, folder);
  const database = new DatabaseSync(join(await folder, "shop.db"));
  onTestFinished(() => {
    database.close();
    folders.delete(currentTestName);
  });
  return database;
}

function storage(claimTtl?: number, name = "spring-2027") {
  const open = async () =>
    openSqliteJournal(await connect(), name, { claimTtl, createTable: true });
  return {
    open,
    clear: async () => {
      await open();
      (await connect()).prepare("DELETE FROM tryon_journal WHERE journal = ?").run(name);
    },
    contents: async () =>
      JSON.stringify((await connect()).prepare("SELECT * FROM tryon_journal").all()),
  };
}

/** Machine whose date can be set. */
function createMachine() {
  const machine = { date: 1_800_000_000_000, monotonic: 0 };
  return {
    times: { now: () => machine.date, monotonic: () => machine.monotonic },
    pass: (time: number, dateOffset = 0): void => {
      machine.date += time + dateOffset;
      machine.monotonic += time;
    },
  };
}

it.each([
  ["was set back", -3_600_000, 59_000],
  ["is right", 0, 59_000],
  ["was set forward", 3_600_000, -3_600_000],
])("a counter ends after its time at the latest, if the date %s", async (_how, offset, left) => {
  const { times, pass } = createMachine();
  const create = async () =>
    createTableQuotaStore("test", sqliteDialect(await connect(), times), { createTable: true });
  const store = await create();
  await store.increment("key", 60_000);
  pass(1_000, offset);
  expect(await store.get("key")).toBe(left > 0 ? 1 : 0);
  pass(Math.max(0, left));
  expect([await store.get("key"), await (await create()).get("key")]).toEqual([0, 0]);
});

it("expired counters are deleted in parts over an index, and counted, while other work runs", async () => {
  const { times, pass } = createMachine();
  const database = await connect();
  const deleted: number[] = [];
  const plans: string[] = [];
  const watched: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        all: (...values) => {
          if (!sql.includes("DELETE")) return statement.all(...values);
          const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
          plans.push(...plan.map(({ detail }) => String(detail)));
          const rows = statement.all(...values);
          const count = Number(database.prepare("SELECT changes() AS count").get()?.["count"]);
          deleted.push(count);
          // A part of more than 500 takes too long.
          if (count > 500) pass(12);
          return rows;
        },
      };
    },
  };
  const dialect = sqliteDialect(watched, times);
  const store = createTableQuotaStore("test", dialect, { createTable: true });
  await store.increment("kept", 90_000);
  for (let index = 0; index < 4_100; index += 1) await store.increment(`old ${index}`, 1_000);
  pass(60_000);
  const ended = new AbortController();
  let turns = 0;
  const counting = (async () => {
    for (; !ended.signal.aborted; turns += 1) await setImmediate();
  })();
  expect(await store.deleteExpired()).toBe(4_100);
  ended.abort();
  await counting;
  // After the first parts, one of 1,000 is followed by one of 500.
  expect(deleted).toEqual([64, 128, 256, 512, 256, 512, 256, 512, 256, 512, 256, 512, 68]);
  expect(turns).toBeGreaterThan(deleted.length);
  expect(plans.join()).toContain("INDEX tryon_quota_expires_at");
  expect([await store.get("kept"), await store.deleteExpired()]).toEqual([1, 0]);
});

it.each([-3_600_000, 3_600_000])(
  "a claim on an item in SQLite lasts its time, also after the date was set by %i ms",
  async (offset) => {
    const { times, pass } = createMachine();
    const open = async () => {
      const dialect = sqliteDialect(await connect(), times);
      return openTableJournal("openSqliteJournal", dialect, "spring-2027", {
        claimTtl: "1m",
        createTable: true,
      });
    };
    const [holder, waiting] = [await open(), await open()];
    await holder.claim("a", "one");
    pass(1_000, offset);
    const late = await open();
    for (const journal of [waiting, late]) {
      expect(await journal.claim("a", "two")).toMatchObject({ state: "held" });
    }
    await holder.renew(["a"], "one");
    pass(59_000);
    for (const journal of [waiting, late]) {
      expect(await journal.claim("a", "two")).toMatchObject({ state: "held" });
    }
    pass(1_000);
    expect(await late.claim("a", "two")).toMatchObject({ state: "claimed" });
  },
);

describe("a journal in SQLite", () => {
  sharedJournalSuite(storage);

  it("stores entries of one moment in one transaction, also within one of the app", async () => {
    const database = await connect();
    const begun: string[] = [];
    const watched: SqliteDatabase = {
      exec: (sql) => {
        if (sql.startsWith("SAVEPOINT")) begun.push(sql);
        database.exec(sql);
      },
      prepare: (sql) => database.prepare(sql),
    };
    const journal = await openSqliteJournal(watched, "a", { createTable: true });
    const ids = Array.from({ length: 20 }, (_, index) => `sku-${index}`);
    await Promise.all(ids.map((id) => journal.claim(id, "one")));
    begun.length = 0;
    const putAll = (fields = {}) =>
      Promise.all(ids.map((id) => journal.putClaimed(entry(id, fields), "one")));
    expect(new Set(await putAll())).toEqual(new Set([true]));
    expect(begun).toHaveLength(1);
    database.exec("BEGIN");
    await putAll({ state: "failed" });
    database.exec("ROLLBACK");
    expect(await Promise.all(ids.map((id) => journal.get(id)))).toEqual(ids.map((id) => entry(id)));
  });

  it("stores none of the entries of one moment if the disk is full", async () => {
    const database = await connect();
    const journal = await openSqliteJournal(database, "a", { createTable: true });
    const last = database.prepare("PRAGMA page_count").get()?.["page_count"];
    database.exec(`PRAGMA max_page_count = ${Number(last) + 2}`);
    const ids = Array.from({ length: 50 }, (_, index) => `sku-${index}`.padEnd(500, "x"));
    const puts = await Promise.allSettled(ids.map((id) => journal.put(entry(id))));
    expect(new Set(puts.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    database.exec("PRAGMA max_page_count = 1000");
    expect(await Promise.all(ids.map((id) => journal.get(id)))).toEqual(ids.map(() => undefined));
    await journal.put(entry("sku-1"));
    expect(await journal.get("sku-1")).toEqual(entry("sku-1"));
  });

  it.each([
    ["DELETE", "OFF"],
    ["WAL", "NORMAL"],
    ["MEMORY", "FULL"],
    ["WAL", "EXTRA"],
  ])("sets WAL and at least FULL on a database with %s and %s", async (mode, synchronous) => {
    const database = new DatabaseSync(join(await temporaryFolder(), "journal.db"));
    onTestFinished(() => database.close());
    database.exec(`PRAGMA journal_mode = ${mode}; PRAGMA synchronous = ${synchronous}`);
    await openSqliteJournal(database, "a", { createTable: true });
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    const level = synchronous === "EXTRA" ? 3 : 2;
    expect(database.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: level });
    // Another connection can be within a transaction by now.
    database.exec("BEGIN");
    await openSqliteJournal(database, "a");
    database.exec("COMMIT");
  });

  it("accepts a database in memory, and rejects one that cannot use WAL", async () => {
    const memory = new DatabaseSync(":memory:");
    await openSqliteJournal(memory, "a", { createTable: true });
    memory.close();
    const database = new DatabaseSync(join(await temporaryFolder(), "journal.db"));
    onTestFinished(() => database.close());
    database.exec("BEGIN");
    await expect(openSqliteJournal(database, "a", { createTable: true })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/in the mode delete.*\. Open the journal outside/),
    });
    database.exec("COMMIT");
    await openSqliteJournal(database, "a");
  });

  it("waits for other connections that write", async () => {
    const database = await connect();
    await openSqliteJournal(database, "a", { createTable: true });
    expect(database.prepare("PRAGMA busy_timeout").get()).toEqual({ timeout: 5_000 });
    database.exec("PRAGMA busy_timeout = 70");
    await openSqliteJournal(database, "a", { createTable: true });
    expect(database.prepare("PRAGMA busy_timeout").get()).toEqual({ timeout: 70 });
  });

  it.each(["", "spring 2027", "a}b", "a".repeat(101)])("rejects the name %j", async (name) => {
    const opening = openSqliteJournal(await connect(), name);
    await expect(opening).rejects.toMatchObject({ code: "invalid_input" });
  });
});
