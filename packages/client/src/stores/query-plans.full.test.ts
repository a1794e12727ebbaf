import type { DatabaseJournal } from "./journal-entry.ts";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { recordPostgres, recordSqlite, series, withoutIndex } from "@tryon/test-kit/query-plans";
import { startPostgres, startSqlite } from "@tryon/test-kit/store-servers";
import { describe, expect, it, onTestFinished } from "vitest";

import { entry } from "../../test/journal-folder.ts";
import { createPostgresQuotaStore, openPostgresJournal, type TableQuotaStore } from "./postgres.ts";
import { createSqliteQuotaStore, openSqliteJournal } from "./sqlite.ts";

const createTable = { createTable: true };

/** Returns a connection to a server of one of the databases, and functions that open its stores, until the end of the test. */
async function connectTo(isPostgres: boolean) {
  const server = await (isPostgres ? startPostgres : startSqlite)();
  onTestFinished(() => server.remove());
  if (isPostgres) {
    const { client, close, ...recorded } = await recordPostgres(server.url);
    onTestFinished(close);
    const openJournal = () => openPostgresJournal(client, "spring", createTable);
    return { ...recorded, openJournal, quota: createPostgresQuotaStore(client, createTable) };
  }
  const { client, close, ...recorded } = await recordSqlite(server.url);
  onTestFinished(close);
  const openJournal = () => openSqliteJournal(client, "spring", createTable);
  return { ...recorded, openJournal, quota: createSqliteQuotaStore(client, createTable) };
}

type Calls<Store> = {
  readonly [Method in keyof Store]-?: (store: Store) => Promise<unknown>;
};

// The types require a line for each method.
const journalCalls: Calls<Required<Omit<DatabaseJournal, "name" | "claimTtl">>> = {
  total: (journal) => journal.total(0),
  claim: async (journal) => {
    await journal.claim("id1", "one");
    await journal.claim("new", "one", true);
    await journal.claim("new", "other");
  },
  refusedClaims: async (journal) => {
    const ids = Array.from({ length: 500 }, (_, index) => `id${2 * index}`);
    expect((await journal.refusedClaims(ids, "one")).size).toBe(499);
  },
  get: (journal) => journal.get("id1"),
  list: async (journal) => {
    for await (const { id } of journal.list()) expect(id).not.toBe("");
  },
  put: (journal) => journal.put(entry("id1")),
  putClaimed: (journal) => journal.putClaimed(entry("new"), "one"),
  putWithin: async (journal) => {
    expect(await journal.putWithin(entry("new", { credits: 8 }), "one", 80)).toBe(true);
    expect(await journal.putWithin(entry("new", { credits: 99 }), "one", 80)).toBe("full");
  },
  takeTime: (journal) => journal.takeTime("key", 5),
  renew: (journal) => journal.renew(["id1", "new"], "one"),
  release: (journal) => journal.release("new", "one"),
  delete: async (journal) => {
    await journal.release("id1", "one");
    expect(await journal.delete()).toBeGreaterThanOrEqual(10_000);
  },
};

const quotaCalls: Calls<TableQuotaStore> = {
  get: (quota) => quota.get('"1'),
  increment: (quota) => quota.increment('"1', 1_000),
  deleteExpired: async (quota) => expect(await quota.deleteExpired()).toBeGreaterThan(0),
};

const databases = [
  ...((await isInstalled("postgres")) ? [["PostgreSQL", true] as const] : []),
  ["SQLite", false] as const,
];

describe.each(databases)("each statement in %s uses an index", (_name, isPostgres) => {
  it("of a journal with 20,000 items", { timeout: 60_000 }, async () => {
    const { openJournal, run, explain } = await connectTo(isPostgres);
    const journal = await openJournal();
    await run(`${series}
      INSERT INTO tryon_journal (journal, id, state, entry)
      SELECT CASE i % 2 WHEN 0 THEN 'spring' ELSE 'autumn' END, 'id' || i, 'succeeded', '{}' FROM series`);
    await run("ANALYZE");
    // The journals have these methods.
    for (const call of Object.values(journalCalls))
      await call(journal as Required<DatabaseJournal>);
    const plans = await explain();
    expect(plans.size).toBeGreaterThan(10);
    expect(withoutIndex(plans)).toEqual([]);
  });

  it.each([
    ["few", 1_000_000_000],
    ["all", 1],
  ])("of counters of which %s have expired", { timeout: 60_000 }, async (_share, distance) => {
    const { quota, run, explain } = await connectTo(isPostgres);
    // Creates the table.
    await quota.get("none");
    await run(`${series}
      INSERT INTO tryon_quota (key, count, expires_at) SELECT '"' || i, 1, 1.0 * i * ${distance} FROM series`);
    await run("ANALYZE");
    for (const call of Object.values(quotaCalls)) await call(quota);
    const plans = await explain();
    expect(plans.size).toBeGreaterThan(3);
    expect(withoutIndex(plans)).toEqual([]);
  });
});
