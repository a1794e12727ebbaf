import type { Journal, JournalEntry } from "../batch/index.ts";

/** A journal that is gone with the test, and everything that was ever put into it. */
export interface MemoryJournal extends Journal {
  readonly entries: Map<string, JournalEntry>;
  readonly puts: JournalEntry[];
}

export function memoryJournal(): MemoryJournal {
  const entries = new Map<string, JournalEntry>();
  const puts: JournalEntry[] = [];
  return {
    entries,
    puts,
    get: async (id) => entries.get(id),
    put: async (entry) => {
      puts.push(entry);
      // What is kept is text, as in any journal that outlives its program.
      entries.set(entry.id, JSON.parse(JSON.stringify(entry)) as JournalEntry);
    },
  };
}

/** Everything that a loop gives. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
