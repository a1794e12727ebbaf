import { nextTurn } from "@tryon/shared/stores/group-calls";
import { deleteInParts, openTable, type Dialect } from "@tryon/shared/stores/sql-table";
import type { ItemClaim, JournalEntry } from "@tryon/client/batch";

import {
  columnOf,
  creditsPrefix,
  endOf,
  hasEnded,
  inUseError,
  storeError,
  readClaimTtl,
  readText,
  textOf,
  wholeLimit,
  type DatabaseJournal,
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
): Promise<DatabaseJournal> {
  const claimTtl = readClaimTtl(caller, name, options, "createTable");
  const { timestamp, toTimestamp, elementsOf, isIn, numberOf, locksRows } = dialect;
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
  const isFree = (isRetry: boolean): string =>
    `(item.state IS NULL OR item.state NOT IN ('succeeded', '${endOf(isRetry)}'))
      AND (item.owner IS NULL OR item.owner = $3 OR item.claimed_until <= ${now})`;
  const put = putStatement(dialect);
  const putOwn = async (entry: JournalEntry, owner: string, limit: number): Promise<boolean> => {
    const { id, state, credits = -1 } = entry;
    const values = [columnOf(id), state, textOf(entry), owner, credits, limit];
    return (await query(put, ...values)).length > 0;
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
        INSERT INTO tryon_journal (journal, id) VALUES ($1, $2)
        ON CONFLICT (journal, id) DO NOTHING RETURNING id`;
      await query(text, columnOf(entry.id));
      await putOwn(entry, "", -1);
    },
    putClaimed: (entry, owner) => putOwn(entry, owner, -1),
    async putWithin(entry, owner, maxCredits) {
      if (await putOwn(entry, owner, wholeLimit(maxCredits))) return true;
      const text = `SELECT id FROM tryon_journal WHERE ${item} AND owner = $3`;
      return (await query(text, columnOf(entry.id), owner)).length > 0 && "full";
    },
    async total(initial) {
      const insert = `
        INSERT INTO tryon_journal (journal, id, state) VALUES ($1, '', $2)
        ON CONFLICT (journal, id) DO NOTHING RETURNING id`;
      if (initial !== undefined) await query(insert, String(initial));
      const text = `SELECT ${numberOf("state")} AS now FROM tryon_journal WHERE journal = $1 AND id = ''`;
      const [row] = await query(text);
      return row && Number(row.now);
    },
    async takeTime(schedule, duration) {
      const end = "CAST(slot.state AS double precision)";
      const text = `
        INSERT INTO tryon_journal AS slot (journal, id, state)
        VALUES ('', $1, CAST($0 + $2 AS text))
        ON CONFLICT (journal, id) DO UPDATE
        SET state = CAST(CASE WHEN ${end} > $0 THEN ${end} ELSE $0 END + $2 AS text)
        RETURNING CAST(state AS double precision) - $0 AS wait`;
      const [row] = await run(text, `schedule ${schedule}`, duration);
      return Number(Reflect.get(Object(row), "wait")) - duration;
    },
    async refusedClaims(ids, owner) {
      const idOf = new Map(ids.map((id) => [columnOf(id), id]));
      const text = `
        SELECT id, entry FROM tryon_journal AS item
        WHERE journal = $1 AND ${isIn("id", elementsOf("$2"))} AND NOT (${isFree(false)})`;
      const rows = await query(text, JSON.stringify([...idOf.keys()]), owner);
      return new Map(rows.map((row) => [idOf.get(row.id) ?? "", refusedClaim(row, false)]));
    },
    async claim(id, owner, isRetry = false): Promise<ItemClaim> {
      // A conflict locks the row, which is a write. So it is only tried if the item looks free.
      const insert = `
        INSERT INTO tryon_journal AS item (journal, id, owner, claimed_until)
        SELECT $1, $2, $3, ${until("$4")} WHERE NOT EXISTS
          (SELECT 1 FROM tryon_journal AS item WHERE ${item} AND NOT (${isFree(isRetry)}))
        ON CONFLICT (journal, id) DO UPDATE
        SET owner = excluded.owner, claimed_until = excluded.claimed_until WHERE ${isFree(isRetry)}
        RETURNING 'claimed' AS id, entry, ${dialect.date} AS now`;
      const values = [columnOf(id), owner] as const;
      // In SQLite, an INSERT locks the file even if it inserts nothing.
      const look = `
        SELECT CASE WHEN ${isFree(isRetry)} THEN 'free' ELSE 'other' END AS id, entry
        FROM tryon_journal AS item WHERE ${item}`;
      let [row] = locksRows ? [] : await query(look, ...values);
      const text = locksRows
        ? `WITH claimed AS (${insert}) SELECT id, entry, now FROM claimed UNION ALL
           SELECT 'other', entry, NULL FROM tryon_journal
           WHERE ${item} AND NOT EXISTS (SELECT 1 FROM claimed)`
        : insert;
      if (row?.id !== "other") [row] = await query(text, ...values, claimTtl);
      if (row?.id === "claimed") {
        // Some drivers return numbers as text.
        const date = row.now === null ? undefined : Number(row.now);
        return { state: "claimed", entry: readText(row.entry), now: date };
      }
      // Without a row, another process has claimed the item at the same time.
      return refusedClaim(row, isRetry);
    },
    async renew(ids, owner) {
      const text = `
        UPDATE tryon_journal SET claimed_until = ${until("$2")}
        WHERE journal = $1 AND owner = $3 AND ${isIn("id", elementsOf("$4"))} RETURNING id`;
      await query(text, claimTtl, owner, JSON.stringify(ids.map(columnOf)));
    },
    async release(id, owner) {
      const text = `
        UPDATE tryon_journal SET owner = NULL, claimed_until = NULL
        WHERE ${item} AND owner = $3 RETURNING id`;
      await query(text, columnOf(id), owner);
    },
    async delete() {
      const held = `
        SELECT id, CASE WHEN owner IS NOT NULL AND claimed_until > ${now} THEN 1 ELSE 0 END AS now
        FROM tryon_journal WHERE journal = $1 AND id > $2 ORDER BY id LIMIT 500`;
      for (let last: string | undefined = ""; last !== undefined;) {
        const rows: readonly Row[] = await query(held, last);
        if (rows.some((row) => Number(row.now) > 0)) throw inUseError(name);
        last = rows.at(-1)?.id;
        await nextTurn();
      }
      const first = "SELECT id FROM tryon_journal WHERE journal = $2 ORDER BY id LIMIT $1";
      const text = `DELETE FROM tryon_journal WHERE journal = $2 AND ${isIn("id", first)}`;
      return deleteInParts(dialect, run, text, name);
    },
  };
}

function refusedClaim(row: Row | undefined, isRetry: boolean): ItemClaim {
  const entry = readText(row?.entry);
  return { state: hasEnded(entry?.state, isRetry) ? "ended" : "held", entry };
}

const ended = "'succeeded', 'failed'";

/**
 * Returns the statement that stores the entry $4 with the state $3 and the credits $6 if $5 has the claim or is empty, and ends
 * a claim on an item that has ended. It changes the total, which is the row of the id '', unless that would exceed $7. Credits of -1 are
 * unknown and change nothing, and a limit of -1 is none.
 */
function putStatement({ locksRows, numberOf }: Dialect): string {
  const credits = "CAST($6 AS integer)";
  const limit = "CAST($7 AS bigint)";
  const claim = ["owner", "claimed_until"].map(
    (column) => `${column} = CASE WHEN $3 IN (${ended}) THEN NULL ELSE kept.${column} END`,
  );
  // Entries of older releases have no credits. They count as the total was computed, which is what follows.
  const change = `
    SELECT CASE WHEN ${credits} < 0 THEN 0 ELSE ${credits} - CASE
      WHEN entry LIKE '${creditsPrefix}%' THEN ${numberOf(`substr(entry, ${creditsPrefix.length + 1})`)}
      WHEN state IS NULL OR state = 'refused' THEN 0 ELSE ${credits} END END AS change
    FROM tryon_journal WHERE journal = $1 AND id = $2 AND (owner = $5 OR $5 = '')`;
  const total = `${numberOf("total.state")} + change`;
  const fits = `(${limit} < 0 OR ${total} <= ${limit})`;
  if (!locksRows) {
    return `
      UPDATE tryon_journal AS kept SET
        state = CASE kept.id WHEN '' THEN CAST(${numberOf("kept.state")} + change AS text) ELSE $3 END,
        entry = CASE kept.id WHEN '' THEN NULL ELSE $4 END, ${claim.join(", ")}
      FROM (${change}) AS item
        LEFT JOIN tryon_journal AS total ON total.journal = $1 AND total.id = ''
      WHERE kept.journal = $1 AND (kept.id = $2 OR kept.id = '' AND change <> 0) AND ${fits}
      RETURNING id`;
  }
  return `
    WITH item AS (${change} FOR UPDATE), total AS (
      UPDATE tryon_journal AS total SET state = CAST(${total} AS text) FROM item
      WHERE total.journal = $1 AND total.id = '' AND (change <> 0 OR ${limit} >= 0) AND ${fits}
      RETURNING total.id)
    UPDATE tryon_journal AS kept SET
      state = $3, entry = $4, ${claim.join(", ")}
    WHERE journal = $1 AND id = $2 AND EXISTS (SELECT 1 FROM item)
      AND (${limit} < 0 OR EXISTS (SELECT 1 FROM total))
    RETURNING id`;
}
