import type { ItemClaim, JournalEntry, SharedJournal } from "@tryon/client/batch";

import type { PostgresClient } from "../stores/clients.ts";
import {
  columnOf,
  hasEnded,
  readOptions,
  readText,
  textOf,
  type SharedJournalOptions,
} from "./shared.ts";

export type { PostgresClient, SharedJournalOptions };

/** Options of `openPostgresJournal`. */
export interface PostgresJournalOptions extends SharedJournalOptions {
  /** If true, creates the table `tryon_journal` if it does not exist. @default false */
  readonly createTable?: boolean | undefined;
}

/**
 * Opens a journal in PostgreSQL 11 or later. Several processes can work on one batch with it: each item is claimed by one
 * of them, and another one takes over the items of a killed process.
 *
 * All journals are in the table `tryon_journal`, one row per item: `journal`, `id`, `state`, `entry` as JSON text, `owner` and
 * `claimed_until`. Delete the rows of a journal when its batch is done. They contain no image, API key or signed URL. Each step
 * is one statement in its own transaction, so a pool in transaction mode such as PgBouncer is sufficient.
 *
 * @param pool - Pool or client of `pg`, or any object with the same `query(text, values)`. Closing it is up to the caller.
 * @param name - Name of the batch, the same in each process and run: 1 to 100 letters, digits and `.`, `_`, `:` or `-`. Use a
 * new name for a new batch.
 * @throws `invalid_config` if the name or an option is invalid or unknown. Errors of the pool.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 * import { openPostgresJournal } from "@tryon/client/journal/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * const journal = await openPostgresJournal(pool, "spring-2027", { createTable: true });
 * for await (const item of batch(new TryOn(), inputs, { id: ({ sku }) => sku, journal })) console.log(item.id);
 * await pool.end();
 */
export async function openPostgresJournal(
  pool: PostgresClient,
  name: string,
  options: PostgresJournalOptions = {},
): Promise<SharedJournal> {
  const claimTtl = readOptions(name, options, { claimTtl: true, createTable: true });
  const query = async (text: string, ...values: unknown[]): Promise<readonly Row[]> => {
    // Every query below returns these columns.
    return (await pool.query(text, [name, ...values])).rows as readonly Row[];
  };
  if (options.createTable === true) await pool.query(createTable, []);
  return {
    name,
    claimTtl,
    async get(id) {
      const [row] = await query(getQuery, columnOf(id));
      return readText(row?.entry);
    },
    async *list() {
      for (let last = ""; ;) {
        const rows = await query(listQuery, last);
        for (const { id, entry: text } of rows) {
          last = id;
          const entry = readText(text);
          if (entry) yield entry;
        }
        if (rows.length === 0) return;
      }
    },
    async put(entry) {
      await query(putQuery, ...valuesOf(entry));
    },
    async putClaimed(entry, owner) {
      return (await query(putClaimedQuery, ...valuesOf(entry), owner)).length > 0;
    },
    async claim(id, owner): Promise<ItemClaim> {
      // A row that another process inserts at the same time is missing in the result.
      const [row] = await query(claimQuery, columnOf(id), owner, claimTtl);
      const entry = readText(row?.entry);
      if (row?.owner === owner) return { state: "claimed", entry, now: Number(row.now) };
      return { state: hasEnded(entry?.state) ? "ended" : "held", entry };
    },
    async renew(ids, owner) {
      await query(renewQuery, ids.map(columnOf), owner, claimTtl);
    },
    async release(id, owner) {
      await query(releaseQuery, columnOf(id), owner);
    },
  };
}

/** Row of the table. Columns that a query does not select are missing. */
interface Row {
  readonly id: string;
  readonly entry: string | null;
  readonly owner: string | null;
  readonly now: unknown;
}

/** Returns the values of the columns `id`, `state` and `entry`. */
function valuesOf(entry: JournalEntry): readonly string[] {
  return [columnOf(entry.id), entry.state, textOf(entry)];
}

// Without the lock, concurrent calls of CREATE TABLE can fail.
const createTable = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(8367142095);
  CREATE TABLE IF NOT EXISTS tryon_journal (
    journal text NOT NULL,
    id text NOT NULL,
    state text,
    entry text,
    owner text,
    claimed_until timestamptz,
    PRIMARY KEY (journal, id)
  );
END $$`;

const getQuery = "SELECT entry FROM tryon_journal WHERE journal = $1 AND id = $2";

const listQuery = `
SELECT id, entry FROM tryon_journal
WHERE journal = $1 AND id > $2 ORDER BY id LIMIT 500`;

const putQuery = `
INSERT INTO tryon_journal (journal, id, state, entry) VALUES ($1, $2, $3, $4)
ON CONFLICT (journal, id) DO UPDATE SET state = excluded.state, entry = excluded.entry`;

const putClaimedQuery = `
UPDATE tryon_journal SET state = $3, entry = $4
WHERE journal = $1 AND id = $2 AND owner = $5
RETURNING id`;

const claimQuery = `
WITH claimed AS (
  INSERT INTO tryon_journal AS item (journal, id, owner, claimed_until)
  VALUES ($1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond')
  ON CONFLICT (journal, id) DO UPDATE SET owner = excluded.owner, claimed_until = excluded.claimed_until
  WHERE (item.state IS NULL OR item.state NOT IN ('succeeded', 'failed'))
    AND (item.owner IS NULL OR item.owner = excluded.owner OR item.claimed_until <= clock_timestamp())
  RETURNING entry, owner
)
SELECT entry, owner, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now FROM claimed
UNION ALL
SELECT entry, NULL, NULL FROM tryon_journal
WHERE journal = $1 AND id = $2 AND NOT EXISTS (SELECT FROM claimed)`;

const renewQuery = `
UPDATE tryon_journal SET claimed_until = clock_timestamp() + $4::float8 * interval '1 millisecond'
WHERE journal = $1 AND id = ANY($2::text[]) AND owner = $3`;

const releaseQuery = `
UPDATE tryon_journal SET owner = NULL, claimed_until = NULL
WHERE journal = $1 AND id = $2 AND owner = $3`;
