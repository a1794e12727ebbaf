import type { QuotaStore } from "../proxy/create-quota.ts";
import type { SqliteDatabase } from "../stores/clients.ts";
import {
  createTableQuotaStore,
  type TableQuotaOptions,
  type TableQuotaStore,
} from "./table-quota-store.ts";

export type { QuotaStore, TableQuotaOptions, TableQuotaStore };
export type { SqliteDatabase, SqliteStatement } from "../stores/clients.ts";

/**
 * Creates counters of `createQuota` in a table of SQLite 3.42 or newer, for processes on one machine. Pass your own
 * database, and call `deleteExpired` about once an hour.
 *
 * Set `busy_timeout`, or a call fails at once while another process writes. The event loop is blocked meanwhile.
 *
 * @throws `invalid_input` for an unknown option or an invalid `table`.
 * @example
 * import { DatabaseSync } from "node:sqlite"; // or Database of better-sqlite3
 * import { createQuota } from "@tryon/client/proxy";
 * import { createSqliteQuotaStore } from "@tryon/client/quota/sqlite";
 *
 * const database = new DatabaseSync("quota.db");
 * database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL");
 * const store = createSqliteQuotaStore(database, { createTable: true });
 * setInterval(() => void store.deleteExpired().catch(console.error), 3_600_000);
 * const limit = createQuota({ perDay: 20, store });
 */
export function createSqliteQuotaStore(
  database: SqliteDatabase,
  options: TableQuotaOptions = {},
): TableQuotaStore {
  return createTableQuotaStore("createSqliteQuotaStore", options, {
    now: "unixepoch('subsec') * 1000.0",
    create: async (statement) => database.exec(statement),
    query: async (text, values) => database.prepare(text.replaceAll(/\$\d/g, "?")).all(...values),
  });
}
