import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { SharedJournal } from "@tryon/client/batch";
import { openSqliteJournal, type TableJournalOptions } from "@tryon/client/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";

import { temporaryFolder } from "../../test/journal-folder.ts";
import { claimSuite, journalSuite, type JournalStorage } from "../../test/journal-suite.ts";
import { sharedBatchSuite } from "../../test/shared-batch-suite.ts";

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

function storage(claimTtl?: number, name = "spring-2027"): JournalStorage<SharedJournal> {
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

describe("a journal in SQLite", () => {
  journalSuite(storage);
  claimSuite(storage);
  sharedBatchSuite(storage);

  it("waits for other connections that write", async () => {
    const database = await connect();
    await openSqliteJournal(database, "a", { createTable: true });
    expect(database.prepare("PRAGMA busy_timeout").get()).toEqual({ timeout: 5_000 });
    database.exec("PRAGMA busy_timeout = 70");
    await openSqliteJournal(database, "a", { createTable: true });
    expect(database.prepare("PRAGMA busy_timeout").get()).toEqual({ timeout: 70 });
  });

  it.each([
    ["", {}],
    ["spring 2027", {}],
    ["a}b", {}],
    ["a".repeat(101), {}],
    ["a", { claimTtl: 0 }],
    ["a", { claimTtl: "0s" }],
    ["a", { claimTtl: Infinity }],
    ["a", JSON.parse('{"claimTTL":5}')],
  ] satisfies [string, TableJournalOptions][])(
    "rejects the name %j with %j",
    async (name, options) => {
      const opening = openSqliteJournal(await connect(), name, options);
      await expect(opening).rejects.toMatchObject({ code: "invalid_config" });
    },
  );
});
