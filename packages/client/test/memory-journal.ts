import type { Journal, JournalEntry } from "../src/batch/index.ts";

/** Journal in memory, with every entry that was put. */
export interface MemoryJournal extends Journal {
  readonly entries: Map<string, JournalEntry>;
  readonly puts: JournalEntry[];
}

/** Hooks around each `put`. Their errors make it fail. */
interface Around {
  readonly before?: (entry: JournalEntry) => void;
  readonly after?: (entry: JournalEntry) => void;
}

export function memoryJournal({ before, after }: Around = {}): MemoryJournal {
  const entries = new Map<string, JournalEntry>();
  const puts: JournalEntry[] = [];
  return {
    entries,
    puts,
    get: async (id) => entries.get(id),
    list: () => entries.values(),
    put: async (entry) => {
      before?.(entry);
      puts.push(entry);
      // Real journals store text.
      entries.set(entry.id, JSON.parse(JSON.stringify(entry)) as JournalEntry);
      after?.(entry);
    },
  };
}

/** Collects the values of an async iterable. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
