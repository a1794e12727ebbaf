import { isInstalled } from "@tryon/test-kit/installed-programs";
import { recordPostgres, recordSqlite, series, withoutIndex } from "@tryon/test-kit/query-plans";
import { startPostgres, startSqlite } from "@tryon/test-kit/store-servers";
import { describe, expect, it, onTestFinished } from "vitest";

import { createPostgresStore, type TableStore } from "./postgres.ts";
import { createSqliteStore } from "./sqlite.ts";

const createTable = { createTable: true };

async function overPostgres() {
  const server = await startPostgres();
  const { client, close, ...recorded } = await recordPostgres(server.url);
  onTestFinished(async () => {
    await close();
    await server.remove();
  });
  return { ...recorded, store: createPostgresStore(client, createTable) };
}

async function overSqlite() {
  const server = await startSqlite();
  const { client, close, ...recorded } = await recordSqlite(server.url);
  onTestFinished(async () => {
    await close();
    await server.remove();
  });
  return { ...recorded, store: createSqliteStore(client, createTable) };
}

// The type requires a line for each method.
const calls: { readonly [Method in keyof TableStore]: (store: TableStore) => Promise<unknown> } = {
  claim: async (store) => {
    for (const owner of ["one", "other"]) await store.claim("new", owner, 60_000);
  },
  done: (store) => store.done("done", 60_000),
  release: (store) => store.release("new", "one"),
  deleteExpired: async (store) => expect(await store.deleteExpired()).toBeGreaterThan(0),
};

const databases = [
  ...((await isInstalled("postgres")) ? [["PostgreSQL", overPostgres] as const] : []),
  ["SQLite", overSqlite] as const,
];

describe.each(databases)("each statement in %s uses an index", (_name, connect) => {
  it.each([
    ["few", 1_000_000_000],
    ["all", 1],
  ])("of events of which %s have expired", { timeout: 60_000 }, async (_share, distance) => {
    const { store, run, explain } = await connect();
    // Creates the table.
    await store.release("none", "none");
    await run(`${series}
      INSERT INTO tryon_events (key, expires_at) SELECT '"' || i, 1.0 * i * ${distance} FROM series`);
    await run("ANALYZE");
    for (const call of Object.values(calls)) await call(store);
    const plans = await explain();
    expect(plans.size).toBeGreaterThan(4);
    expect(withoutIndex(plans)).toEqual([]);
  });
});
