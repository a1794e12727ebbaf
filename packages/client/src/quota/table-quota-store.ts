import type { QuotaStore } from "../proxy/create-quota.ts";
import { checkOptions } from "../proxy/resolve-options.ts";

/** Options of counters in a table. */
export interface TableQuotaOptions {
  /** Name of the table, with its schema if it needs one: `shop.tryon_quota`. @default "tryon_quota" */
  readonly table?: string | undefined;
  /**
   * If true, the store creates the table unless it exists. If false, create it yourself:
   *
   * ```sql
   * CREATE TABLE tryon_quota (key text PRIMARY KEY, count integer NOT NULL, expires_at double precision NOT NULL)
   * ```
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

/** SQL of a database. */
interface Dialect {
  /** Milliseconds since 1970, as a floating-point number. */
  readonly now: string;
  /** Runs the statement that creates the table. */
  readonly create: (statement: string) => Promise<unknown>;
  /** Runs a statement with the values of `$1` and `$2`, which it uses in this order, and returns its rows. */
  readonly query: (text: string, values: (string | number)[]) => Promise<readonly unknown[]>;
}

export function createTableQuotaStore(
  caller: string,
  options: TableQuotaOptions,
  { now, create, query }: Dialect,
): TableQuotaStore {
  const { table = "tryon_quota", createTable = false } = options;
  checkOptions<TableQuotaOptions>(caller, options, {
    table: [
      /^([a-z_]\w*\.)?[a-z_]\w*$/i.test(table),
      "must be a name of letters, digits and _",
      "Omit the option for tryon_quota.",
    ],
    createTable: undefined,
  });
  const columns =
    "(key text PRIMARY KEY, count integer NOT NULL, expires_at double precision NOT NULL)";
  const get = `SELECT count FROM ${table} WHERE key = $1 AND expires_at > ${now}`;
  const hasExpired = `counter.expires_at <= ${now}`;
  const increment = `
    INSERT INTO ${table} AS counter (key, count, expires_at) VALUES ($1, 1, ${now} + $2)
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN ${hasExpired} THEN 1 ELSE counter.count + 1 END,
      expires_at = CASE WHEN ${hasExpired} THEN excluded.expires_at ELSE counter.expires_at END
    RETURNING count`;
  const deleteExpired = `DELETE FROM ${table} WHERE expires_at <= ${now} RETURNING count`;

  let isCreated = !createTable;
  const run = async (text: string, ...values: (string | number)[]): Promise<readonly unknown[]> => {
    if (!isCreated) await create(`CREATE TABLE IF NOT EXISTS ${table} ${columns}`);
    isCreated = true;
    return query(text, values);
  };
  const count = async (text: string, ...values: (string | number)[]): Promise<number> => {
    const [row = { count: 0 }] = await run(text, ...values);
    // Both statements return rows of this type. Some drivers read integers as bigint.
    return Number((row as { count: number | bigint }).count);
  };
  return {
    get: (key) => count(get, key),
    increment: (key, ttl) => count(increment, key, ttl),
    deleteExpired: async () => (await run(deleteExpired)).length,
  };
}
