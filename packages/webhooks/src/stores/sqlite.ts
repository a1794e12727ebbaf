import type { SqliteDatabase, SqliteStatement } from "@tryon/shared/stores/clients";
import { sqliteDialect } from "@tryon/shared/stores/sql-table";

import { createTableStore, type TableStore, type TableStoreOptions } from "./table-store.ts";

export type { SqliteDatabase, SqliteStatement, TableStore, TableStoreOptions };

/**
 * Creates a store in a table of SQLite 3.35 or newer, for receivers on one machine. Pass your
 * own database: a file, or the events are lost at a restart.
 *
 * Call `deleteExpired` about once an hour. The store sets `journal_mode = WAL`, except in a transaction. If the connection
 * has no `busy_timeout`, it sets 5 seconds, so that processes wait for each other. The event loop is blocked meanwhile.
 *
 * With `synchronous = NORMAL`, an event costs less than half of the CPU time in the store. A power failure can then lose the record
 * of the last events, but not the end of a process. The service does not send them again, since the receiver has accepted
 * them. If your handler writes to the same connection, set `FULL`.
 *
 * @throws `TypeError` for an unknown option or an invalid `table`.
 * @example
 * import { DatabaseSync } from "node:sqlite"; // or Database of better-sqlite3
 * import { createReceiver } from "@tryon/webhooks";
 * import { createSqliteStore } from "@tryon/webhooks/sqlite";
 *
 * const database = new DatabaseSync("events.db");
 * const store = createSqliteStore(database, { createTable: true });
 * database.exec("PRAGMA synchronous = NORMAL");
 * setInterval(() => void store.deleteExpired().catch(console.error), 3_600_000);
 * export const POST = createReceiver({ secrets, store, onCompleted });
 */
export function createSqliteStore(
  database: SqliteDatabase,
  options: TableStoreOptions = {},
): TableStore {
  return createTableStore(sqliteDialect(database), options);
}
