import { openTable, type Dialect } from "@tryon/command-line/stores/sql-table";
import type { ItemClaim, JournalEntry, SharedJournal } from "@tryon/client/batch";

import {
  columnOf,
  endOf,
  hasEnded,
  storeError,
  readClaimTtl,
  readText,
  textOf,
  type SharedJournalOptions,
} from "./journal-entry.ts";

/** Options of a journal in a table. */
export interface TableJournalOptions extends SharedJournalOptions {
  /** If true, creates the table `tryon_journal` if it does not exist. @default false */
  readonly createTable?: boolean | undefined;
}

interface Row {
  readonly id: string;
  readonly entry: string | null;
  readonly now: unknown;
}

export async function openTableJournal(
  caller: string,
  dialect: Dialect,
  name: string,
  options: TableJournalOptions,
): Promise<SharedJournal> {
  const claimTtl = readClaimTtl(caller, name, options, "createTable");
  const { timestamp, toTimestamp, elementsOf } = dialect;
  const now = toTimestamp("$0");
  const format = {
    table: "tryon_journal",
    columns: `journal text NOT NULL, id text NOT NULL, state text, entry text, owner text, claimed_until ${timestamp}, PRIMARY KEY (journal, id)`,
    // No journal has an empty name.
    key: ["journal, id", "'', 'version'"],
    version: ["state", "claimed_until", now],
    clock: "less",
  } as const;
  const run = openTable(dialect, format, options.createTable === true, storeError);
  const item = "journal = $1 AND id = $2";
  const until = (ttl: string): string => toTimestamp(`$0 + ${ttl}`);
  const query = async (text: string, ...values: (string | number)[]): Promise<readonly Row[]> =>
    // Every query below returns these columns.
    (await run(text, name, ...values)) as readonly Row[];
  const get = async (id: string): Promise<JournalEntry | undefined> => {
    const [row] = await query(`SELECT entry FROM tryon_journal WHERE ${item}`, columnOf(id));
    return readText(row?.entry);
  };
  // Opens the table.
  await get("");
  return {
    name,
    claimTtl,
    get,
    async *list() {
      const text = `
        SELECT id, entry FROM tryon_journal WHERE journal = $1 AND id > $2 ORDER BY id LIMIT 500`;
      for (let last = ""; ;) {
        const rows = await query(text, last);
        for (const row of rows) {
          last = row.id;
          const entry = readText(row.entry);
          if (entry) yield entry;
        }
        if (rows.length === 0) return;
      }
    },
    async put(entry) {
      const text = `
        INSERT INTO tryon_journal (journal, id, state, entry) VALUES ($1, $2, $3, $4)
        ON CONFLICT (journal, id) DO UPDATE SET state = excluded.state, entry = excluded.entry
        RETURNING id`;
      await query(text, columnOf(entry.id), entry.state, textOf(entry));
    },
    async putClaimed(entry, owner) {
      const text = `
        UPDATE tryon_journal SET state = $3, entry = $4 WHERE ${item} AND owner = $5 RETURNING id`;
      const { id, state } = entry;
      return (await query(text, columnOf(id), state, textOf(entry), owner)).length > 0;
    },
    async claim(id, owner, isRetry = false): Promise<ItemClaim> {
      const text = `
        INSERT INTO tryon_journal AS item (journal, id, owner, claimed_until)
        VALUES ($1, $2, $3, ${until("$4")})
        ON CONFLICT (journal, id) DO UPDATE
        SET owner = excluded.owner, claimed_until = excluded.claimed_until
        WHERE (item.state IS NULL OR item.state NOT IN ('succeeded', $5))
          AND (item.owner IS NULL OR item.owner = excluded.owner OR item.claimed_until <= ${now})
        RETURNING entry, ${dialect.date} AS now`;
      const [row] = await query(text, columnOf(id), owner, claimTtl, endOf(isRetry));
      if (row) {
        // Some drivers return numbers as text.
        const date = row.now === null ? undefined : Number(row.now);
        return { state: "claimed", entry: readText(row.entry), now: date };
      }
      const entry = await get(id);
      return { state: hasEnded(entry?.state, isRetry) ? "ended" : "held", entry };
    },
    async renew(ids, owner) {
      const text = `
        UPDATE tryon_journal SET claimed_until = ${until("$2")}
        WHERE journal = $1 AND owner = $3 AND id IN (${elementsOf("$4")}) RETURNING id`;
      await query(text, claimTtl, owner, JSON.stringify(ids.map(columnOf)));
    },
    async release(id, owner) {
      const text = `
        UPDATE tryon_journal SET owner = NULL, claimed_until = NULL
        WHERE ${item} AND owner = $3 RETURNING id`;
      await query(text, columnOf(id), owner);
    },
  };
}
