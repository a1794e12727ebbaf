import { accepting, boolean, readOptions } from "@tryon/command-line/options";
import type { ReceiverStore } from "../receiver/store.ts";

/** Options of a store in a table. */
export interface TableStoreOptions {
  /** Name, with its schema if it needs one: `shop.tryon_events`. @default "tryon_events" */
  readonly table?: string | undefined;
  /**
   * If true, the store creates the table unless it exists. If false, create it yourself:
   *
   * ```sql
   * CREATE TABLE tryon_events (key text PRIMARY KEY, owner text, expires_at double precision NOT NULL)
   * ```
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

/** SQL of a database. */
interface Dialect {
  /** Milliseconds since 1970, as a floating-point number. */
  readonly now: string;
  /** Runs the statement that creates the table. */
  readonly create: (statement: string) => Promise<unknown>;
  /** Runs a statement with the values of `$1` to `$3`, which it uses in this order, and returns its rows. */
  readonly query: (text: string, values: (string | number)[]) => Promise<readonly unknown[]>;
}

/** Returns JSON: PostgreSQL rejects NUL, and encodings merge keys with invalid UTF-16. */
const keyOf = (key: string): string => JSON.stringify(key);

const tableName = accepting<string>(
  "a name of letters, digits and _, such as tryon_events",
  (given) => typeof given === "string" && /^([a-z_]\w*\.)?[a-z_]\w*$/i.test(given),
);

/** @throws `TypeError` for an unknown option or an invalid `table`. */
export function createTableStore(
  options: TableStoreOptions,
  { now, create, query }: Dialect,
): TableStore {
  const { table, createTable } = readOptions("an option of the store", options, {
    table: { ...tableName, fallback: "tryon_events" },
    createTable: { ...boolean(), fallback: false },
  });
  const columns = "(key text PRIMARY KEY, owner text, expires_at double precision NOT NULL)";
  const isFree = `event.expires_at <= ${now} OR event.owner = excluded.owner`;
  const claim = `
    INSERT INTO ${table} AS event (key, owner, expires_at) VALUES ($1, $2, ${now} + $3)
    ON CONFLICT (key) DO UPDATE SET
      owner = CASE WHEN ${isFree} THEN excluded.owner ELSE event.owner END,
      expires_at = CASE WHEN ${isFree} THEN excluded.expires_at ELSE event.expires_at END
    RETURNING owner`;
  const done = `
    INSERT INTO ${table} (key, owner, expires_at) VALUES ($1, NULL, ${now} + $2)
    ON CONFLICT (key) DO UPDATE SET owner = NULL, expires_at = excluded.expires_at
    RETURNING owner`;
  const release = `DELETE FROM ${table} WHERE key = $1 AND owner = $2 RETURNING owner`;
  const deleteExpired = `DELETE FROM ${table} WHERE expires_at <= ${now} RETURNING owner`;

  let isCreated = !createTable;
  const run = async (text: string, ...values: (string | number)[]): Promise<readonly unknown[]> => {
    if (!isCreated) await create(`CREATE TABLE IF NOT EXISTS ${table} ${columns}`);
    isCreated = true;
    return query(text, values);
  };
  return {
    async claim(key, owner, ttl) {
      const [row] = await run(claim, keyOf(key), owner, ttl);
      // The statement returns one row of this type.
      const { owner: current } = row as { owner: string | null };
      if (current === owner) return "claimed";
      return current === null ? "done" : "open";
    },
    done: (key, ttl) => run(done, keyOf(key), ttl),
    release: (key, owner) => run(release, keyOf(key), owner),
    deleteExpired: async () => (await run(deleteExpired)).length,
  };
}
