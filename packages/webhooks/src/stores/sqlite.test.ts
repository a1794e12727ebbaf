import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { sqliteDialect } from "@tryon/shared/stores/sql-table";
import { expect, it, onTestFinished } from "vitest";

import { createSqliteStore } from "./sqlite.ts";
import { createTableStore } from "./table-store.ts";

const minute = 60_000;
const month = 30 * 24 * 60 * minute;

/** Returns a function that opens connections to one file. */
function createFile(): () => DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), "tryon-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return () => {
    const database = new DatabaseSync(join(folder, "events.db"), { timeout: 1 });
    onTestFinished(() => database.close());
    return database;
  };
}

it("a handled event in SQLite is not forgotten after the date was set forward", async () => {
  const connect = createFile();
  let date = 1_800_000_000_000;
  const open = () =>
    createTableStore(sqliteDialect(connect(), { now: () => date, monotonic: () => 0 }), {
      createTable: true,
    });
  const store = open();
  await store.done("event", month);
  date += 2 * month;
  expect(await store.claim("event", "one", minute)).toBe("done");
  const other = open();
  expect(await other.deleteExpired()).toBe(0);
  expect(await other.claim("event", "one", minute)).toBe("done");
});

it("the store sets WAL, and works without it while another process writes", async () => {
  const connect = createFile();
  const [other, first, second] = [connect(), connect(), connect()];
  other.exec("BEGIN IMMEDIATE");
  const store = createSqliteStore(first, { createTable: true });
  expect(first.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
  other.exec("COMMIT");
  expect(await store.claim("event", "one", minute)).toBe("claimed");
  expect(await createSqliteStore(second).claim("event", "two", minute)).toBe("open");
  expect(second.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});
