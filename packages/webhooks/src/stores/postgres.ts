import type { PostgresClient } from "@tryon/shared/stores/clients";
import { postgresDialect } from "@tryon/shared/stores/sql-table";

import { createTableStore, type TableStore, type TableStoreOptions } from "./table-store.ts";

export type { PostgresClient, TableStore, TableStoreOptions };

/**
 * Creates a store in a table of PostgreSQL, for any number of receivers. Pass your own pool.
 * The database measures the time, so the clocks of the receivers may differ.
 *
 * Call `deleteExpired` about once an hour. Give the pool time limits, or a delivery waits for an
 * unreachable database until the receiver times out.
 *
 * @throws `TypeError` for an unknown option or an invalid `table`.
 * @example
 * import { createReceiver } from "@tryon/webhooks";
 * import { createPostgresStore } from "@tryon/webhooks/postgres";
 * import { Pool } from "pg";
 *
 * const connectionString = process.env.DATABASE_URL;
 * const pool = new Pool({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
 * pool.on("error", (error) => console.error("PostgreSQL:", error));
 * const store = createPostgresStore(pool, { createTable: true });
 * setInterval(() => void store.deleteExpired().catch(console.error), 3_600_000);
 * export const POST = createReceiver({ secrets, store, onCompleted });
 */
export function createPostgresStore(
  pool: PostgresClient,
  options: TableStoreOptions = {},
): TableStore {
  return createTableStore(postgresDialect(pool), options);
}
