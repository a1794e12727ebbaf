import type { SqliteDatabase, SqliteStatement } from "@tryon/shared/stores/clients";
import { readPragma, sqliteDialect } from "@tryon/shared/stores/sql-table";

import type { QuotaStore } from "../proxy/quota-store.ts";
import { storeError, type DatabaseJournal, type SharedJournalOptions } from "./journal-entry.ts";
import { openTableJournal, type TableJournalOptions } from "./table-journal.ts";
import {
  createTableQuotaStore,
  type TableQuotaOptions,
  type TableQuotaStore,
} from "./table-quota-store.ts";

export type {
  DatabaseJournal,
  QuotaStore,
  SharedJournalOptions,
  SqliteDatabase,
  SqliteStatement,
  TableJournalOptions,
  TableQuotaOptions,
  TableQuotaStore,
};

/**
 * Opens a journal in a SQLite database (3.35 or later) on a local disk. Several processes on one machine can work on one
 * batch with it: each item is claimed by one of them, and another one takes over the items of a killed process.
 *
 * All journals are in the table `tryon_journal`, one row per item: `journal`, `id`, `state`, `entry` as JSON text, `owner` and
 * `claimed_until` in milliseconds. Call `delete` when the batch is done. They contain no image, API key or
 * signed URL. The row with an empty id has the total of the credits. The rows of the journal `''` have the version of the table,
 * its time, and the schedule of each API key. Steps of one
 * moment share a transaction, which blocks the process for one write of the disk.
 *
 * The journal sets `journal_mode = WAL` and checks it, so that a step flushes the disk less often. It also
 * sets `synchronous = FULL` if the connection has a lower value, with which a power failure can lose the last entries. A
 * database in memory has neither. If the connection has no `busy_timeout`, the journal sets 5 seconds, so that processes wait
 * for each other.
 *
 * @param database - `DatabaseSync` of `node:sqlite` or `Database` of `better-sqlite3`. Closing it is up to the caller.
 * @param name - Name of the batch, the same in each process and run: 1 to 100 letters, digits and `.`, `_`, `:` or `-`. Use a
 * new name for a new batch.
 * @throws `invalid_input` if the name or an option is invalid or unknown. `invalid_config` if a newer release has written the
 * table, or if the database cannot use WAL: in a transaction, or without shared memory, such as on some network drives. Errors
 * of the database.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 *
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 * import { openSqliteJournal } from "@tryon/client/sqlite";
 *
 * const database = new DatabaseSync("shop.db");
 * const journal = await openSqliteJournal(database, "spring-2027", { createTable: true });
 * for await (const item of batch(new TryOn(), inputs, { id: ({ sku }) => sku, journal })) console.log(item.id);
 * database.close();
 */
export async function openSqliteJournal(
  database: SqliteDatabase,
  name: string,
  options: TableJournalOptions = {},
): Promise<DatabaseJournal> {
  const dialect = sqliteDialect(database);
  const journal = await openTableJournal("openSqliteJournal", dialect, name, options);
  makeDurable(database);
  return journal;
}

/** Checks that a step flushes the disk once, and sets that no entry is lost. */
function makeDurable(database: SqliteDatabase): void {
  // A database in memory has its own mode.
  const mode = String(readPragma(database, "journal_mode"));
  if (mode !== "wal" && mode !== "memory") {
    throw storeError(
      `The journal needs WAL, and the database is in the mode ${mode}.`,
      "Open the journal outside of a transaction. Use a file on a local disk, or run `PRAGMA locking_mode = EXCLUSIVE` first for a disk without shared memory.",
    );
  }
  // Some drivers use NORMAL with WAL. In a transaction, it cannot be set.
  if (Number(readPragma(database, "synchronous")) < 2) database.exec("PRAGMA synchronous = FULL");
}

/**
 * Creates counters of `createQuota` in a table of SQLite 3.35 or newer, for processes on one machine. Pass your own
 * database, and call `deleteExpired` about once an hour.
 *
 * The store sets `journal_mode = WAL`, except in a transaction. If the connection has no `busy_timeout`, it sets 5 seconds, so
 * that processes wait for each other. The event loop is blocked meanwhile.
 *
 * @throws `invalid_input` for an unknown option or an invalid `table`.
 * @example
 * import { DatabaseSync } from "node:sqlite"; // or Database of better-sqlite3
 * import { createQuota } from "@tryon/client/proxy";
 * import { createSqliteQuotaStore } from "@tryon/client/sqlite";
 *
 * const database = new DatabaseSync("quota.db");
 * const store = createSqliteQuotaStore(database, { createTable: true });
 * setInterval(() => void store.deleteExpired().catch(console.error), 3_600_000);
 * const limit = createQuota({ perDay: 20, store });
 */
export function createSqliteQuotaStore(
  database: SqliteDatabase,
  options: TableQuotaOptions = {},
): TableQuotaStore {
  return createTableQuotaStore("createSqliteQuotaStore", sqliteDialect(database), options);
}
