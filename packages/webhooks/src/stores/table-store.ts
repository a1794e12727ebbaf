import { accepting, boolean, readOptions } from "@tryon/shared/options";
import { openExpiringTable, type Dialect } from "@tryon/shared/stores/sql-table";

import type { ReceiverStore } from "../receiver/store.ts";
import { storeError } from "./store-error.ts";

/** Options of a store in a table. */
export interface TableStoreOptions {
  /** Name, with its schema if it needs one: `shop.tryon_events`. @default "tryon_events" */
  readonly table?: string | undefined;
  /**
   * If true, the store creates the table and its index unless they exist. If false, create it yourself:
   *
   * ```sql
   * CREATE TABLE tryon_events (key text PRIMARY KEY, owner text, expires_at double precision NOT NULL);
   * CREATE INDEX tryon_events_expires_at ON tryon_events (expires_at);
   * ```
   *
   * In SQLite, `WITHOUT ROWID` at the end of the first statement saves writes. The row with the key `version` has the
   * version of the table.
   *
   * @default false
   */
  readonly createTable?: boolean | undefined;
}

/** Store in a table. */
export interface TableStore extends ReceiverStore {
  /** Deletes expired events and returns their number. Other methods delete none. */
  deleteExpired(): Promise<number>;
}

/** Returns JSON: PostgreSQL rejects NUL, and encodings merge keys with invalid UTF-16. */
const keyOf = (key: string): string => JSON.stringify(key);

const tableName = accepting<string>(
  "a name of letters, digits and _, such as tryon_events",
  (given) => typeof given === "string" && /^([a-z_]\w*\.)?[a-z_]\w*$/i.test(given),
);

/** @throws `TypeError` for an unknown option or an invalid `table`. */
export function createTableStore(dialect: Dialect, options: TableStoreOptions): TableStore {
  const read = readOptions("an option of the store", options, {
    table: { ...tableName, fallback: "tryon_events" },
    createTable: { ...boolean(), fallback: false },
  });
  const { table } = read;
  const value = { column: "owner", type: "text" };
  const { run, deleteExpired } = openExpiringTable(dialect, read, value, "less", storeError);
  const claim = `
    INSERT INTO ${table} AS event (key, owner, expires_at) VALUES ($1, $2, $0 + $3)
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
    WHERE event.expires_at <= $0 OR event.owner = excluded.owner
    RETURNING owner`;
  const get = `SELECT owner FROM ${table} WHERE key = $1`;
  const done = `
    INSERT INTO ${table} (key, owner, expires_at) VALUES ($1, NULL, $0 + $2)
    ON CONFLICT (key) DO UPDATE SET owner = NULL, expires_at = excluded.expires_at
    RETURNING owner`;
  const release = `DELETE FROM ${table} WHERE key = $1 AND owner = $2 RETURNING owner`;
  return {
    async claim(key, owner, ttl) {
      if ((await run(claim, keyOf(key), owner, ttl)).length > 0) return "claimed";
      const [row] = await run(get, keyOf(key));
      // Another owner can have released the event meanwhile: then the next claim is granted.
      return row !== undefined && Reflect.get(Object(row), "owner") === null ? "done" : "open";
    },
    done: (key, ttl) => run(done, keyOf(key), ttl),
    release: (key, owner) => run(release, keyOf(key), owner),
    deleteExpired,
  };
}
