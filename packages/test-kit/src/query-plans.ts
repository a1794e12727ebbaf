import type { SQLInputValue } from "node:sqlite";

import { connectPostgres, connectSqlite } from "./store-clients.ts";

/** Plans of statements, by their texts. */
type Plans = ReadonlyMap<string, readonly string[]>;

/** Statements without a plan: they create tables, or read an option of the connection. */
const isSetting = /^\s*(DO|PRAGMA)\b/;

/** Makes 20,000 rows `series` with numbers `i` from 1, in both databases. */
export const series =
  "WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < 20000)";

/** Connects to PostgreSQL, and records the statements that are sent through `client`, with their first values. */
export async function recordPostgres(url: string) {
  const { client: pool, close } = await connectPostgres(url);
  const sent = new Map<string, unknown[]>();
  const query = (text: string, values: unknown[]) => {
    if (!isSetting.test(text) && !sent.has(text)) sent.set(text, values);
    return pool.query(text, values);
  };
  const explain = async (): Promise<Plans> => {
    const plans = new Map<string, readonly string[]>();
    for (const [text, values] of sent) {
      const { rows } = await pool.query(`EXPLAIN ${text}`, values);
      plans.set(
        text,
        rows.map((row) => String(row["QUERY PLAN"])),
      );
    }
    return plans;
  };
  const run = async (sql: string) => void (await pool.query(sql));
  return { client: { query }, run, explain, close };
}

/** Opens a SQLite file, and records the statements that are sent through `client`, with their first values. */
export async function recordSqlite(file: string) {
  const { client: database, close } = await connectSqlite(file);
  const sent = new Map<string, readonly SQLInputValue[]>();
  const run = async (sql: string) => database.exec(sql);
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    const all = (...values: SQLInputValue[]) => {
      if (!isSetting.test(sql) && !sent.has(sql)) sent.set(sql, values);
      return statement.all(...values);
    };
    return { all };
  };
  const explain = async (): Promise<Plans> => {
    const plans = new Map<string, readonly string[]>();
    for (const [sql, values] of sent) {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      plans.set(
        sql,
        rows.map(({ detail }) => String(detail)),
      );
    }
    return plans;
  };
  const exec = (sql: string) => database.exec(sql);
  return { client: { exec, prepare }, run, explain, close };
}

/**
 * Steps of a plan that read a whole table, or sort. `CONSTANT ROW` is the row of a SELECT without a table, and `json_each` reads
 * the ids that a call passes.
 */
const costly = /Seq Scan|\bSort\b|SCAN (?!CONSTANT ROW|json_each)|TEMP B-TREE/;

/** Returns the statements with a costly step, with their plans. */
export function withoutIndex(plans: Plans): readonly string[] {
  const found = [...plans].filter(([, plan]) => plan.some((step) => costly.test(step)));
  return found.map(([text, plan]) => `${text}\n=>\n${plan.join("\n")}`);
}
