import type { ItemClaim, JournalEntry, SharedJournal } from "@tryon/client/batch";

import type { SqliteDatabase, SqliteStatement } from "../stores/clients.ts";
import {
  columnOf,
  hasEnded,
  readOptions,
  readText,
  textOf,
  type SharedJournalOptions,
} from "./shared.ts";

export type { SharedJournalOptions, SqliteDatabase, SqliteStatement };

/** Options of `openSqliteJournal`. */
export interface SqliteJournalOptions extends SharedJournalOptions {
  /** If true, creates the table `tryon_journal` if it does not exist. @default false */
  readonly createTable?: boolean | undefined;
}

/**
 * Opens a journal in a SQLite database (3.35 or later) on a local disk. Several processes on one machine can work on one
 * batch with it: each item is claimed by one of them, and another one takes over the items of a killed process.
 *
 * All journals are in the table `tryon_journal`, one row per item: `journal`, `id`, `state`, `entry` as JSON text, `owner` and
 * `claimed_until` in milliseconds since 1970. Delete the rows of a journal when its batch is done. They contain no image,
 * API key or signed URL. Each call blocks the process for one write of the disk.
 *
 * If the connection has no `busy_timeout`, the journal sets 5 seconds, so that processes wait for each other. With the
 * setting `synchronous` below `FULL`, a power failure can lose the last entries.
 *
 * @param database - `DatabaseSync` of `node:sqlite` or `Database` of `better-sqlite3`. Closing it is up to the caller.
 * @param name - Name of the batch, the same in each process and run: 1 to 100 letters, digits and `.`, `_`, `:` or `-`. Use a
 * new name for a new batch.
 * @throws `invalid_config` if the name or an option is invalid or unknown. Errors of the database.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 *
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 * import { openSqliteJournal } from "@tryon/client/journal/sqlite";
 *
 * const database = new DatabaseSync("shop.db");
 * const journal = await openSqliteJournal(database, "spring-2027", { createTable: true });
 * for await (const item of batch(new TryOn(), inputs, { id: ({ sku }) => sku, journal })) console.log(item.id);
 * database.close();
 */
export async function openSqliteJournal(
  database: SqliteDatabase,
  name: string,
  options: SqliteJournalOptions = {},
): Promise<SharedJournal> {
  const claimTtl = readOptions(name, options, { claimTtl: true, createTable: true });
  // The column is named "timeout".
  const busy = database.prepare("PRAGMA busy_timeout").get() as { readonly timeout: number };
  if (busy.timeout === 0) database.exec("PRAGMA busy_timeout = 5000");
  if (options.createTable === true) database.exec(createTable);
  const get = database.prepare(getQuery);
  const list = database.prepare(listQuery);
  const put = database.prepare(putQuery);
  const putClaimed = database.prepare(putClaimedQuery);
  const claim = database.prepare(claimQuery);
  const renew = database.prepare(renewQuery);
  const release = database.prepare(releaseQuery);
  return {
    name,
    claimTtl,
    async get(id) {
      return entryOf(get.get(name, columnOf(id)));
    },
    async *list() {
      for (let last = ""; ;) {
        // The query selects these columns.
        const rows = list.all(name, last) as readonly Row[];
        for (const row of rows) {
          last = row.id;
          const entry = entryOf(row);
          if (entry) yield entry;
        }
        if (rows.length === 0) return;
      }
    },
    async put(entry) {
      put.run(name, ...valuesOf(entry));
    },
    async putClaimed(entry, owner) {
      return putClaimed.get(name, ...valuesOf(entry), owner) !== undefined;
    },
    async claim(id, owner): Promise<ItemClaim> {
      const row = claim.get(name, columnOf(id), owner, claimTtl);
      if (row !== undefined) return { state: "claimed", entry: entryOf(row) };
      const entry = entryOf(get.get(name, columnOf(id)));
      return { state: hasEnded(entry?.state) ? "ended" : "held", entry };
    },
    async renew(ids, owner) {
      renew.run(claimTtl, name, owner, JSON.stringify(ids.map(columnOf)));
    },
    async release(id, owner) {
      release.run(name, columnOf(id), owner);
    },
  };
}

/** Row of the table, as far as it is selected. */
interface Row {
  readonly id: string;
  readonly entry: string | null;
}

function entryOf(row: unknown): JournalEntry | undefined {
  // Every query that returns a row selects the column.
  return readText((row as Row | undefined)?.entry);
}

/** Returns the values of the columns `id`, `state` and `entry`. */
function valuesOf(entry: JournalEntry): readonly string[] {
  return [columnOf(entry.id), entry.state, textOf(entry)];
}

const createTable = `CREATE TABLE IF NOT EXISTS tryon_journal (
  journal TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT,
  entry TEXT,
  owner TEXT,
  claimed_until REAL,
  PRIMARY KEY (journal, id)
) WITHOUT ROWID`;

/** Milliseconds since 1970, also in releases without `unixepoch`. */
const now = "((julianday('now') - 2440587.5) * 86400000.0)";

const getQuery = "SELECT id, entry FROM tryon_journal WHERE journal = ? AND id = ?";

const listQuery = `
SELECT id, entry FROM tryon_journal
WHERE journal = ? AND id > ? ORDER BY id LIMIT 500`;

const putQuery = `
INSERT INTO tryon_journal (journal, id, state, entry) VALUES (?, ?, ?, ?)
ON CONFLICT (journal, id) DO UPDATE SET state = excluded.state, entry = excluded.entry`;

const putClaimedQuery = `
UPDATE tryon_journal SET state = ?3, entry = ?4
WHERE journal = ?1 AND id = ?2 AND owner = ?5
RETURNING id`;

const claimQuery = `
INSERT INTO tryon_journal (journal, id, owner, claimed_until) VALUES (?, ?, ?, ${now} + ?)
ON CONFLICT (journal, id) DO UPDATE SET owner = excluded.owner, claimed_until = excluded.claimed_until
WHERE (state IS NULL OR state NOT IN ('succeeded', 'failed'))
  AND (owner IS NULL OR owner = excluded.owner OR claimed_until <= ${now})
RETURNING id, entry`;

const renewQuery = `
UPDATE tryon_journal SET claimed_until = ${now} + ?
WHERE journal = ? AND owner = ? AND id IN (SELECT value FROM json_each(?))`;

const releaseQuery = `
UPDATE tryon_journal SET owner = NULL, claimed_until = NULL
WHERE journal = ? AND id = ? AND owner = ?`;
