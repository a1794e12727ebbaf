import type { PostgresClient } from "@tryon/shared/stores/clients";
import { postgresDialect } from "@tryon/shared/stores/sql-table";

import type { QuotaStore } from "../proxy/quota-store.ts";
import type { DatabaseJournal, SharedJournalOptions } from "./journal-entry.ts";
import { openTableJournal, type TableJournalOptions } from "./table-journal.ts";
import {
  createTableQuotaStore,
  type TableQuotaOptions,
  type TableQuotaStore,
} from "./table-quota-store.ts";

export type {
  DatabaseJournal,
  PostgresClient,
  QuotaStore,
  SharedJournalOptions,
  TableJournalOptions,
  TableQuotaOptions,
  TableQuotaStore,
};

/**
 * Opens a journal in PostgreSQL 11 or later. Several processes can work on one batch with it: each item is claimed by one
 * of them, and another one takes over the items of a killed process.
 *
 * All journals are in the table `tryon_journal`, one row per item: `journal`, `id`, `state`, `entry` as JSON text, `owner` and
 * `claimed_until`. Call `delete` when the batch is done. They contain no image, API key or signed URL. The row
 * with an empty id has the total of the credits. The rows of the journal `''` have the version of the table, and the schedule
 * of each API key. Each step is one statement in its own transaction, so a pool in
 * transaction mode such as PgBouncer is sufficient.
 *
 * @param pool - Pool or client of `pg`, or any object with the same `query(text, values)`. Closing it is up to the caller.
 * @param name - Name of the batch, the same in each process and run: 1 to 100 letters, digits and `.`, `_`, `:` or `-`. Use a
 * new name for a new batch.
 * @throws `invalid_input` if the name or an option is invalid or unknown. `invalid_config` if a newer release has written the
 * table. Errors of the pool.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 * import { openPostgresJournal } from "@tryon/client/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * const journal = await openPostgresJournal(pool, "spring-2027", { createTable: true });
 * for await (const item of batch(new TryOn(), inputs, { id: ({ sku }) => sku, journal })) console.log(item.id);
 * await pool.end();
 */
export function openPostgresJournal(
  pool: PostgresClient,
  name: string,
  options: TableJournalOptions = {},
): Promise<DatabaseJournal> {
  return openTableJournal("openPostgresJournal", postgresDialect(pool), name, options);
}

/**
 * Creates counters of `createQuota` in a table of PostgreSQL, for any number of servers. Pass your own pool, and call
 * `deleteExpired` about once an hour.
 *
 * @throws `invalid_input` for an unknown option or an invalid `table`.
 * @example
 * import { createPostgresQuotaStore } from "@tryon/client/postgres";
 * import { createQuota } from "@tryon/client/proxy";
 * import { Pool } from "pg";
 *
 * const connectionString = process.env.DATABASE_URL;
 * const pool = new Pool({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
 * pool.on("error", (error) => console.error("PostgreSQL:", error));
 * const store = createPostgresQuotaStore(pool, { createTable: true });
 * setInterval(() => void store.deleteExpired().catch(console.error), 3_600_000);
 * const limit = createQuota({ perDay: 20, store });
 */
export function createPostgresQuotaStore(
  pool: PostgresClient,
  options: TableQuotaOptions = {},
): TableQuotaStore {
  return createTableQuotaStore("createPostgresQuotaStore", postgresDialect(pool), options);
}
