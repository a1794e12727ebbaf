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

/** Creates a file, and connections of processes whose clocks can be set. */
function createFile() {
  const folder = mkdtempSync(join(tmpdir(), "tryon-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let passed = 0;
  return {
    pass: (time: number) => void (passed += time),
    connect: (dateOffset = 0) => {
      const database = new DatabaseSync(join(folder, "events.db"));
      onTestFinished(() => database.close());
      const own = { date: dateOffset, slept: 0 };
      const dialect = sqliteDialect(database, {
        now: () => 1_800_000_000_000 + passed + own.date,
        monotonic: () => passed - own.slept,
      });
      return { own, ...createTableStore(dialect, { createTable: true }) };
    },
  };
}

it.each([
  ["set back", -60 * minute],
  ["set forward", 60 * minute],
])(
  "a claim in SQLite lasts its time, for a process that starts after the date was %s",
  async (_how, offset) => {
    const { connect, pass } = createFile();
    const [holder, waiting] = [connect(), connect()];
    expect(await holder.claim("event", "one", minute)).toBe("claimed");
    expect(await waiting.claim("event", "two", minute)).toBe("open");
    const late = connect(offset);
    waiting.own.date = offset;
    for (const store of [waiting, late]) {
      expect(await store.claim("event", "two", minute)).toBe("open");
    }
    pass(minute - 1_000);
    for (const store of [waiting, late]) {
      expect(await store.claim("event", "two", minute)).toBe("open");
    }
    pass(1_000);
    expect(await late.claim("event", "three", minute)).toBe("claimed");
  },
);

it("a claim in SQLite lasts while the machine sleeps, and is renewed after it", async () => {
  const { connect, pass } = createFile();
  const [holder, waiting] = [connect(), connect()];
  await holder.claim("event", "one", minute);
  await waiting.claim("event", "two", minute);
  pass(60 * minute);
  for (const { own } of [holder, waiting]) own.slept += 60 * minute;
  expect(await waiting.claim("event", "two", minute)).toBe("open");
  expect(await holder.claim("event", "one", minute)).toBe("claimed");
});

it("a handled event in SQLite is not forgotten after the date was set forward", async () => {
  const { connect } = createFile();
  const store = connect();
  await store.done("event", month);
  store.own.date = 2 * month;
  expect(await store.claim("event", "one", minute)).toBe("done");
  const other = connect(2 * month);
  expect(await other.deleteExpired()).toBe(0);
  expect(await other.claim("event", "one", minute)).toBe("done");
});

it("the store sets WAL, and works without it while another process writes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tryon-wal-"));
  const connect = () => {
    const database = new DatabaseSync(join(folder, "events.db"), { timeout: 1 });
    onTestFinished(() => database.close());
    return database;
  };
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [other, first, second] = [connect(), connect(), connect()];
  other.exec("BEGIN IMMEDIATE");
  const store = createSqliteStore(first, { createTable: true });
  expect(first.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
  other.exec("COMMIT");
  expect(await store.claim("event", "one", minute)).toBe("claimed");
  expect(await createSqliteStore(second).claim("event", "two", minute)).toBe("open");
  expect(second.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});
