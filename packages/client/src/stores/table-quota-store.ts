import { openExpiringTable, type Dialect } from "@tryon/shared/stores/sql-table";

import type { QuotaStore } from "../proxy/quota-store.ts";
import { checkOptions } from "../proxy/resolve-options.ts";
import { checkFlag, storeError } from "./journal-entry.ts";

/** Options of counters in a table. */
export interface TableQuotaOptions {
  /** Name of the table, with its schema if it needs one: `shop.tryon_quota`. @default "tryon_quota" */
  readonly table?: string | undefined;
  /**
   * If true, the store creates the table and its index unless they exist. If false, create it yourself:
   *
   * ```sql
   * CREATE TABLE tryon_quota (key text PRIMARY KEY, count integer NOT NULL, expires_at double precision NOT NULL);
   * CREATE INDEX tryon_quota_expires_at ON tryon_quota (expires_at);
   * ```
   *
   * In SQLite, `WITHOUT ROWID` at the end of the first statement saves writes. The row with the key `version` has the
   * version of the table.
   *
   * @default false
   */
  readonly createTable?: boolean | undefined;
}

/** Counters in a table. */
export interface TableQuotaStore extends QuotaStore {
  /** Deletes expired counters and returns their number. Other methods delete none. */
  deleteExpired(): Promise<number>;
}

export function createTableQuotaStore(
  caller: string,
  dialect: Dialect,
  options: TableQuotaOptions,
): TableQuotaStore {
  const { table = "tryon_quota", createTable = false } = options;
  const isName = typeof table === "string" && /^([a-z_]\w*\.)?[a-z_]\w*$/i.test(table);
  checkOptions<TableQuotaOptions>(caller, options, {
    table: [isName, "must be a name of letters, digits and _", "Omit the option for tryon_quota."],
    createTable: checkFlag(createTable),
  });
  const read = { table, createTable };
  const value = { column: "count", type: "integer NOT NULL" };
  // The service forgets a key by itself: another submission under it is charged, so it counts again.
  const { run, deleteExpired } = openExpiringTable(dialect, read, value, "more", storeError);
  const get = `SELECT count FROM ${table} WHERE key = $1 AND expires_at > $0`;
  const hasExpired = "counter.expires_at <= $0";
  const increment = `
    INSERT INTO ${table} AS counter (key, count, expires_at) VALUES ($1, 1, $0 + $2)
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN ${hasExpired} THEN 1 ELSE counter.count + 1 END,
      expires_at = CASE WHEN ${hasExpired} THEN excluded.expires_at ELSE counter.expires_at END
    RETURNING count`;
  const count = async (text: string, ...values: (string | number)[]): Promise<number> => {
    const [row = { count: 0 }] = await run(text, ...values);
    // Both statements return rows of this type. Some drivers read integers as bigint.
    return Number((row as { count: number | bigint }).count);
  };
  return {
    get: (key) => count(get, key),
    increment: (key, ttl) => count(increment, key, ttl),
    deleteExpired,
  };
}
