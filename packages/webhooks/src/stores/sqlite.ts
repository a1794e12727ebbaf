import { createTableStore } from "./table-store.ts";
import type { TableStore, TableStoreOptions } from "./table-store.ts";

export type { TableStore, TableStoreOptions };

/** Database of `node:sqlite` (`DatabaseSync`) or `better-sqlite3`. */
export interface SqliteDatabase {
  /** Runs a statement. */
  exec(sql: string): unknown;
  /** Prepares a statement with a `?` for each value. */
  prepare(sql: string): SqliteStatement;
}

/** Prepared statement. */
export interface SqliteStatement {
  /** Returns all rows. */
  all(...values: (string | number)[]): readonly unknown[];
}

/**
 * Creates a store in a table of SQLite 3.42 or newer, for receivers on one machine. Pass your
 * own database: a file, or the events are lost at a restart.
 *
 * Call `deleteExpired` about once an hour. Set `busy_timeout`, or a call fails at once while another
 * process writes. The event loop is blocked meanwhile.
 *
 * @throws `TypeError` for an unknown option or an invalid `table`.
 * @example
 * import { DatabaseSync } from "node:sqlite"; // or Database of better-sqlite3
 * import { createReceiver } from "@tryon/webhooks";
 * import { createSqliteStore } from "@tryon/webhooks/sqlite";
 *
 * const database = new DatabaseSync("events.db");
 * database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL");
 * const store = createSqliteStore(database, { createTable: true });
 * setInterval(() => void store.deleteExpired().catch(console.error), 3_600_000);
 * export const POST = createReceiver({ secrets, store, onCompleted });
 */
export function createSqliteStore(
  database: SqliteDatabase,
  options: TableStoreOptions = {},
): TableStore {
  return createTableStore(options, {
    now: "unixepoch('subsec') * 1000.0",
    create: async (statement) => database.exec(statement),
    query: async (text, values) => database.prepare(text.replaceAll(/\$\d/g, "?")).all(...values),
  });
}
