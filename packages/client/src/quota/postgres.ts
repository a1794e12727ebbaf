import type { QuotaStore } from "../proxy/create-quota.ts";
import type { PostgresClient } from "../stores/clients.ts";
import {
  createTableQuotaStore,
  type TableQuotaOptions,
  type TableQuotaStore,
} from "./table-quota-store.ts";

export type { PostgresClient, QuotaStore, TableQuotaOptions, TableQuotaStore };

/** Without it, processes that create the table at the same time fail. */
const lock = "PERFORM pg_advisory_xact_lock(hashtext('tryon'))";

/**
 * Creates counters of `createQuota` in a table of PostgreSQL, for any number of servers. Pass your own pool, and call
 * `deleteExpired` about once an hour.
 *
 * @throws `invalid_input` for an unknown option or an invalid `table`.
 * @example
 * import { createQuota } from "@tryon/client/proxy";
 * import { createPostgresQuotaStore } from "@tryon/client/quota/postgres";
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
  client: PostgresClient,
  options: TableQuotaOptions = {},
): TableQuotaStore {
  return createTableQuotaStore("createPostgresQuotaStore", options, {
    // The time of the statement: `now()` is that of a transaction, which may have begun earlier.
    now: "(extract(epoch FROM statement_timestamp()) * 1000)::double precision",
    create: (statement) => client.query(`DO $$ BEGIN ${lock}; ${statement}; END $$`, []),
    query: async (text, values) => (await client.query(text, values)).rows,
  });
}
