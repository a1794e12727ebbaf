import { monotonicOf, systemClock, type Times } from "../clock.ts";
import type { PostgresClient, SqliteDatabase } from "./clients.ts";
import { groupCalls } from "./group-calls.ts";
import { createStoreClock, type ClockRule } from "./store-clock.ts";
import { checkStoreVersion, once, storeVersion, type Fail } from "./store-version.ts";

type Value = string | number;
type Rows = readonly unknown[];
type Call = readonly [text: string, ...values: readonly Value[]];

/** Runs a statement with the values of `$1` and so on, and returns its rows. `$0` is the time of the store in milliseconds. */
export type RunStatement = (text: string, ...values: readonly Value[]) => Promise<Rows>;

/** Table of a store. One row, whose key no item has, contains the version, and in SQLite the time. */
export interface TableFormat {
  readonly table: string;
  readonly columns: string;
  /** Columns of the primary key, and their values in that row. */
  readonly key: readonly [columns: string, values: string];
  /** Columns of that row for the version and the time, and `$0` in the type of the time. */
  readonly version: readonly [version: string, time: string, now: string];
  readonly clock: ClockRule;
  /** Column with an index. @default none */
  readonly index?: string;
  /** If true, its rows are short. @default false */
  readonly isShort?: boolean;
}

export interface Dialect {
  readonly timestamp: string;
  /** Returns the point in time of a number of milliseconds since 1970. */
  readonly toTimestamp: (milliseconds: string) => string;
  /** Date of the database in milliseconds since 1970. NULL if it is that of the process. */
  readonly date: string;
  /** Returns the whole number at the start of a text that starts with a digit. */
  readonly numberOf: (text: string) => string;
  /** If true, other connections can change rows while a statement runs, and it locks those that it depends on. */
  readonly locksRows: boolean;
  readonly elementsOf: (json: string) => string;
  /** Returns the condition that a column is in the result of a query, which is then found over the index of the column. */
  readonly isIn: (column: string, query: string) => string;
  /** Returns the statement that deletes rows and returns their number as `count`. */
  readonly countOf: (deletion: string) => string;
  readonly monotonic: () => number;
  /** Option of a table with short rows. */
  readonly shortTable: string;
  /** Returns the statement that creates an index of a column of a table. */
  readonly indexOf: (table: string, column: string) => string;
  readonly create: (statement: string) => Promise<unknown>;
  /** Returns the function that runs statements on a table. `keepTime` stores the time. */
  readonly runOn: (format: TableFormat, keepTime: string) => RunStatement;
}

/** Returns the function that runs statements on a table. The first one opens the table, and checks its version. */
export function openTable(
  { create, indexOf, runOn, shortTable }: Dialect,
  format: TableFormat,
  createTable: boolean,
  fail: Fail,
): RunStatement {
  const { table, columns, key, index, isShort } = format;
  const [version, time, now] = format.version;
  const keepTime = `
    INSERT INTO ${table} AS kept (${key[0]}, ${version}, ${time}) VALUES (${key[1]}, '${storeVersion}', ${now})
    ON CONFLICT (${key[0]}) DO UPDATE
    SET ${time} = CASE WHEN excluded.${time} > kept.${time} THEN excluded.${time} ELSE kept.${time} END
    RETURNING ${version} AS version`;
  const run = runOn(format, keepTime);
  const open = async (): Promise<void> => {
    const option = isShort ? shortTable : "";
    const statements = [`CREATE TABLE IF NOT EXISTS ${table} (${columns})${option}`];
    if (index !== undefined) statements.push(indexOf(table, index));
    if (createTable) await create(statements.join("; "));
    const [row] = await run(keepTime);
    checkStoreVersion(Reflect.get(Object(row), "version"), `The table ${table}`, fail);
  };
  const opened = once(open);
  return async (text, ...values) => {
    await opened();
    return run(text, ...values);
  };
}

/**
 * Opens a table with a row per key, which expires. The keys are JSON, except that of the row for the version.
 * `deleteExpired` returns the number of rows that it deleted.
 */
export function openExpiringTable(
  dialect: Dialect,
  { table, createTable }: { readonly table: string; readonly createTable: boolean },
  value: { readonly column: string; readonly type: string },
  clock: ClockRule,
  fail: Fail,
): { readonly run: RunStatement; readonly deleteExpired: () => Promise<number> } {
  const format = {
    table,
    columns: `key text PRIMARY KEY, ${value.column} ${value.type}, expires_at double precision NOT NULL`,
    key: ["key", "'version'"],
    version: [value.column, "expires_at", "$0"],
    clock,
    index: "expires_at",
    isShort: true,
  } as const;
  const run = openTable(dialect, format, createTable, fail);
  const expired = "expires_at <= $0";
  const keys = `
    SELECT key FROM ${table} WHERE ${expired} AND key <> 'version' ORDER BY expires_at LIMIT $1`;
  // The row can be in use again once it is locked.
  const text = `DELETE FROM ${table} WHERE ${expired} AND ${dialect.isIn("key", keys)}`;
  return { run, deleteExpired: () => deleteInParts(dialect, run, text) };
}

/** Number of rows that one statement deletes: at first, and at most. */
const [firstPart, maxPart] = [64, 1_000];
/** Time of a statement, in milliseconds, above which the next one deletes fewer rows. */
const maxPartTime = 10;

/**
 * Deletes rows in parts, and returns their number. Between two parts it waits for the time of the last one, so that
 * other work and other processes have their turn.
 *
 * @param text - Statement that deletes up to $1 rows.
 */
export async function deleteInParts(
  { countOf, locksRows, monotonic }: Dialect,
  run: RunStatement,
  text: string,
  ...values: readonly Value[]
): Promise<number> {
  const counted = countOf(text);
  let [count, limit] = [0, firstPart];
  for (;;) {
    const start = monotonic();
    const [row] = await run(counted, limit, ...values);
    const deleted = Number(Reflect.get(Object(row), "count"));
    const time = monotonic() - start;
    count += deleted;
    if (deleted < limit) return count;
    // A statement in SQLite blocks the process.
    const isShort = locksRows || time <= maxPartTime;
    limit = isShort ? Math.min(maxPart, 2 * limit) : Math.max(1, Math.floor(limit / 2));
    await new Promise<void>((resolve) => void setTimeout(resolve, time));
  }
}

export function postgresDialect(client: PostgresClient): Dialect {
  // The time of the statement: `now()` is that of a transaction, which may have begun earlier.
  const now = "(extract(epoch FROM statement_timestamp()) * 1000)::double precision";
  // Without it, processes that create the table at the same time fail.
  const lock = "PERFORM pg_advisory_xact_lock(hashtext('tryon'))";
  return {
    timestamp: "timestamptz",
    toTimestamp: (milliseconds) => `to_timestamp((${milliseconds}) / 1000)`,
    date: "$0",
    numberOf: (text) => `CAST(substring(${text} FROM '^[0-9]+') AS bigint)`,
    locksRows: true,
    elementsOf: (json) => `SELECT json_array_elements_text(${json}::json)`,
    // With IN, it joins the result with the whole table.
    isIn: (column, query) => `${column} = ANY (ARRAY(${query}))`,
    countOf: (deletion) =>
      `WITH deleted AS (${deletion} RETURNING 1) SELECT count(*) AS count FROM deleted`,
    monotonic: monotonicOf(systemClock),
    shortTable: "",
    indexOf: (table, column) =>
      `CREATE INDEX IF NOT EXISTS ${table.replace(/^.*\./, "")}_${column} ON ${table} (${column})`,
    create: (statement) => client.query(`DO $$ BEGIN ${lock}; ${statement}; END $$`, []),
    runOn:
      () =>
      async (text, ...values) =>
        (await client.query(text.replaceAll("$0", now), [...values])).rows,
  };
}

/** Minimum step of the stored time, in milliseconds. */
const step = 50;
/** The same if nothing else is written, since then it costs a write of the disk. */
const readStep = 1_000;

/** Returns the value of a setting. Its column has another name in some. */
export function readPragma(database: SqliteDatabase, pragma: string): unknown {
  const [row] = database.prepare(`PRAGMA ${pragma}`).all();
  return Object.values(Object(row))[0];
}

/** Sets the modes with which processes wait for each other, and block each other less. Not every database has WAL. */
function share(database: SqliteDatabase): void {
  if (readPragma(database, "busy_timeout") === 0) database.exec("PRAGMA busy_timeout = 5000");
  try {
    if (readPragma(database, "journal_mode") !== "wal") database.exec("PRAGMA journal_mode = WAL");
  } catch {
    try {
      // Another process can be setting it. SQLite waits for a transaction, but not for that.
      database.exec("BEGIN IMMEDIATE; COMMIT; PRAGMA journal_mode = WAL");
    } catch {
      // The app is in a transaction, another process writes for longer, or the disk has no shared memory.
    }
  }
}

/** Runs a function in a transaction, or in a part of the one that the app has begun. */
function inTransaction<Result>(
  database: SqliteDatabase,
  isNeeded: boolean,
  run: () => Result,
): Result {
  if (!isNeeded) return run();
  database.exec("SAVEPOINT tryon");
  try {
    const result = run();
    database.exec("RELEASE tryon");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK TO tryon; RELEASE tryon");
    } catch {
      // Some errors have already ended the transaction.
    }
    throw error;
  }
}

/** SQL of SQLite. Processes of one machine share its date, which can be set, so a table has its own clock. */
export function sqliteDialect(database: SqliteDatabase, times?: Times): Dialect {
  return {
    timestamp: "double precision",
    toTimestamp: (milliseconds) => milliseconds,
    date: "NULL",
    numberOf: (text) => `CAST(${text} AS integer)`,
    locksRows: false,
    elementsOf: (json) => `SELECT value FROM json_each(${json})`,
    isIn: (column, query) => `${column} IN (${query})`,
    countOf: (deletion) => `${deletion}; SELECT changes() AS count`,
    monotonic: monotonicOf(times ?? systemClock),
    // The rows are in the index of the key, so a commit writes fewer pages.
    shortTable: " WITHOUT ROWID",
    indexOf: (table, column) =>
      `CREATE INDEX IF NOT EXISTS ${table}_${column} ON ${table.replace(/^.*\./, "")} (${column})`,
    create: async (statement) => database.exec(statement),
    runOn: ({ table, key, version, clock }, keepTime) => {
      share(database);
      const statements = new Map<string, readonly ((values: readonly Value[]) => Rows)[]>();
      /** Prepares a statement. Some drivers accept values only for `?`. */
      const prepare = (text: string): ((values: readonly Value[]) => Rows) => {
        const statement = database.prepare(text.replaceAll(/\$\d/g, "?"));
        const order = Array.from(text.matchAll(/\$(\d)/g), ([, digit]) => Number(digit));
        return (given) => statement.all(...order.map((index) => given[index] ?? ""));
      };
      /** Runs the statements of a text, which it prepares once. Returns the rows of the last one. */
      const all = (text: string, values: readonly Value[]): Rows => {
        const prepared = statements.get(text) ?? text.split("; ").map(prepare);
        statements.set(text, prepared);
        return prepared.map((run) => run(values)).at(-1) ?? [];
      };
      const advance = createStoreClock(clock, times);
      const storedTime = `SELECT ${version[1]} AS time FROM ${table} WHERE (${key[0]}) = (${key[1]})`;
      /** Runs statements at one time of the store. Several are one transaction, so they wait once for the lock and for the disk. */
      const runAll = (calls: readonly Call[], minStep: number): readonly Rows[] => {
        let [time, isKept] = [0, false];
        if (calls.some(([text]) => text.includes("$0"))) {
          const [row] = all(storedTime, []);
          // Some drivers read integers as bigint.
          const stored = row === undefined ? undefined : Number(Reflect.get(Object(row), "time"));
          time = advance(stored);
          isKept = time - (stored ?? 0) >= minStep && calls.every(([text]) => text !== keepTime);
        }
        const written: readonly Call[] = isKept ? [[keepTime], ...calls] : calls;
        const results = () => written.map(([text, ...values]) => all(text, [time, ...values]));
        return inTransaction(database, written.length > 1, results).slice(isKept ? 1 : 0);
      };
      const write = groupCalls((calls: readonly Call[]) => runAll(calls, step));
      return async (...call) => {
        // In a transaction that begins with a read, a write can fail at once instead of waiting for others.
        if (!/^\s*SELECT/.test(call[0])) return write(call);
        return runAll([call], readStep)[0] ?? [];
      };
    },
  };
}
