import type { ClaimState, ReceiverStore } from "@tryon/webhooks";
import type { Pool } from "pg";

/** Store whose old rows have to be deleted, for example once an hour. */
export interface PostgresStore extends ReceiverStore {
  /** Deletes what has run out, and gives the number of rows. It may run anywhere, at any time. */
  forget(): Promise<number>;
}

/**
 * Takes a row that is not there, is this owner's already, or has run out. The second half sees the
 * table as it was before the first: a row that came meanwhile reads as `open`, which is asked again.
 */
const claim = `
  WITH claimed AS (
    INSERT INTO tryon_events AS held (key, owner, until)
    VALUES ($1, $2, now() + $3::float8 * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
    WHERE held.owner = excluded.owner OR held.until <= now()
    RETURNING key
  )
  SELECT CASE
    WHEN EXISTS (SELECT FROM claimed) THEN 'claimed'
    WHEN EXISTS (SELECT FROM tryon_events WHERE key = $1 AND owner IS NULL AND until > now()) THEN 'done'
    ELSE 'open'
  END AS state
`;

const done = `
  INSERT INTO tryon_events (key, owner, until)
  VALUES ($1, NULL, now() + $2::float8 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE SET owner = NULL, until = excluded.until
`;

const release = "DELETE FROM tryon_events WHERE key = $1 AND owner = $2";

const forget = "DELETE FROM tryon_events WHERE until <= now()";

/**
 * Remembers events in PostgreSQL, in the table of `table.sql`, for any number of receivers. Each
 * step is one statement and a transaction of its own, and times are those of the database's clock,
 * so the clocks of the receivers do not matter.
 *
 * Give the pool a `connectionTimeoutMillis` and a `query_timeout`, or a delivery waits for a server
 * that is gone instead of being answered 500 and sent again.
 *
 * @example
 * const pool = new Pool({
 *   connectionString: process.env.DATABASE_URL,
 *   connectionTimeoutMillis: 2_000,
 *   query_timeout: 2_000,
 * });
 * pool.on("error", (error) => console.error("PostgreSQL:", error.message));
 * const store = createPostgresStore(pool);
 * setInterval(() => void store.forget().catch(console.error), 3_600_000).unref();
 */
export function createPostgresStore(pool: Pick<Pool, "query">): PostgresStore {
  return {
    async claim(key, owner, ttl) {
      const { rows } = await pool.query<{ state: ClaimState }>(claim, [keyOf(key), owner, ttl]);
      return rows[0]?.state ?? "open";
    },
    async done(key, ttl) {
      await pool.query(done, [keyOf(key), ttl]);
    },
    async release(key, owner) {
      await pool.query(release, [keyOf(key), owner]);
    },
    async forget() {
      const { rowCount } = await pool.query(forget);
      return rowCount ?? 0;
    },
  };
}

/** As JSON two keys are never the same text, and none has a NUL, which PostgreSQL refuses. */
function keyOf(key: string): string {
  return JSON.stringify(key);
}
